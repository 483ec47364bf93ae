import assert from 'node:assert/strict';
import {test} from 'node:test';
import {runScript} from '../scripts/script-run.ts';
import {CLASS_SHARE, DENY_CSV, DENY_SCHEMA, emptySite, type SiteFixture} from './site-fixture.ts';
import {readOutput} from './tree.ts';

const SOURCES = 17;

/** Builds as the command does, for threads run compiled code. */
const build = ({root}: SiteFixture, ...args: string[]) => runScript('build', ['--root', root, ...args]);

/** A site of so many sources that threads compose them, one product over two of them among the others. */
async function manySources(): Promise<SiteFixture> {
  const site = await emptySite();
  for (let index = 0; index < SOURCES; index++) {
    const csv = `${DENY_CSV}https://e.example/${index},dead\n`;
    await site.freeze({source: `list-${index}`, files: {'list.csv': csv}, schema: DENY_SCHEMA});
    for (const share of ['dead', 'fraud']) {
      const product = {...CLASS_SHARE, title: `${share} ${index}`, source: `list-${index}`, class: share, siblings: []};
      await site.write(`data/products/${share}-${index}.json`, product);
    }
  }
  await site.write('data/products/both.json', {
    title: 'Both',
    kind: 'query',
    price: '$0.05',
    sources: {rows: 'list-3', others: 'list-4'},
    figures: 'SELECT count(*) AS rows_n, (SELECT count(*) FROM others) AS others_n FROM rows',
    rows: 'SELECT url FROM rows ORDER BY url',
    difference: 'counts two lists',
  });
  await site.write('data/site.json', {
    title: 'Many',
    base_url: 'https://test.example',
    hosts: ['serve'],
    payment: {
      accepts: [{network: 'eip155:84532', pay_to: '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2'}],
      facilitator_url: 'https://facilitator.example',
    },
  });
  return site;
}

test('threads write the bytes that one writes, and tell the same', async () => {
  await using site = await manySources();
  assert.equal((await build(site, '--workers', '3')).err, '');
  const threaded = await readOutput(site.root);
  assert.ok(threaded['public/api/v1/both']);
  const {code, out} = await build(site, '--workers', '1', '--check', '--json');
  assert.equal(code, 0);
  const again = await build(site, '--workers', '3', '--check', '--json');
  const untimed = (text: string) => text.replace(/"seconds": [\d.]+/, '');
  assert.equal(untimed(again.out), untimed(out));
});

test('threads tell the faults of all sources in their order, and leave the output as it is', async () => {
  await using site = await manySources();
  await build(site, '--workers', '2');
  const before = await readOutput(site.root);
  for (const index of [11, 2, 7])
    await site.write(`data/sources/list-${index}/2026-05-01/list.csv`, DENY_CSV.replace('dead', 'daed'));
  const [threaded, alone] = [await build(site, '--workers', '3'), await build(site, '--workers', '1')];
  assert.equal(threaded.code, 1);
  assert.equal(threaded.err.split('\n').length, 7, 'size and class of three lists');
  assert.equal(threaded.err, alone.err);
  assert.deepEqual(await readOutput(site.root), before);
});

test('a number of workers that is none is wrong usage', async () => {
  await using site = await emptySite();
  for (const workers of ['0', '-1', 'two', '1.5', '1000'])
    assert.equal((await build(site, '--workers', workers)).code, 2);
});
