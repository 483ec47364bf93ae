import assert from 'node:assert/strict';
import {test} from 'node:test';
import {compute} from '../../build/compute/compute.ts';
import type {Kind} from '../../build/kinds/kind.ts';
import {InputError} from '../../shared/fault.ts';
import {loadFolder} from '../../build/load-folder.ts';
import {readProducts} from '../../build/products/products.ts';
import {openDatabase} from '../../build/rows/database.ts';
import {CLASS_SHARE, DENY_CSV, denySite, SAME_TIMESTAMPS, VERIFIED_SCHEMA, type SiteFixture} from './site-fixture.ts';

const VERIFIED = 'origin,first,last,claimed\nhttps://a.example,2026-01-01 10:00 ET,2026-01-01 10:00 ET,true\n';

/** Two products over one list, one over another. */
async function threeProducts(): Promise<SiteFixture> {
  const site = await denySite();
  await site.write('data/products/dead.json', {...CLASS_SHARE, title: 'Dead', class: 'dead'});
  await site.write('data/products/first-last-same.json', SAME_TIMESTAMPS);
  await site.freeze({source: 'verified-list', files: {'list.csv': VERIFIED}, schema: VERIFIED_SCHEMA});
  return site;
}

/** What is made of each product, where some are recalled; whether rows were read for it. */
async function made({root}: SiteFixture, recalled: readonly string[]): Promise<{made: string[]; read: boolean}> {
  const kinds = await loadFolder<Kind>('kinds');
  let opened: ReturnType<typeof openDatabase> | undefined;
  const inputs = {
    root,
    kinds,
    onFreeze: () => () => undefined,
    database: () => (opened ??= openDatabase(root)),
  };
  try {
    const found = await compute(
      inputs,
      await readProducts(root, kinds),
      ({product}) => `${product.name} computed`,
      ({product: {name}}) => Promise.resolve(recalled.includes(name) ? `${name} recalled` : undefined),
    );
    return {made: found.made, read: opened !== undefined};
  } finally {
    (await opened)?.close();
  }
}

test('no rows are read for products that are recalled', async () => {
  await using site = await threeProducts();
  assert.deepEqual(await made(site, ['dead', 'firstlastsame', 'softfail3']), {
    made: ['dead recalled', 'firstlastsame recalled', 'softfail3 recalled'],
    read: false,
  });
});

test('a list that must be read for one product is read for all', async () => {
  await using site = await threeProducts();
  assert.deepEqual(await made(site, ['dead', 'firstlastsame']), {
    made: ['dead computed', 'firstlastsame recalled', 'softfail3 computed'],
    read: true,
  });
});

test('what is wrong with the list of a product that is recalled is told as ever', async () => {
  await using site = await threeProducts();
  await site.write('data/sources/deny-list/2026-05-01/deny-list.csv', DENY_CSV.replace('dead', 'daed'));
  const faults = async (recalled: readonly string[]) => {
    const error = await made(site, recalled).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof InputError);
    return error.faults;
  };
  const told = await faults([]);
  assert.deepEqual(
    told.map(({field}) => field),
    ['sha256', 'class'],
  );
  assert.deepEqual(await faults(['dead', 'softfail3']), told);
});
