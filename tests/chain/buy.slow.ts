import assert from 'node:assert/strict';
import {cp, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {sha256} from '../../shared/digest.ts';
import {InputError, type Fault} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import type {Entry} from '../../shared/shapes.ts';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {buyer, newAccount, newFolder} from '../buy/stall.ts';
import {CLASS_SHARE, SITE} from '../build/site-fixture.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';
import {chainedSite, DATES, SOFT_PASS, type ChainedSite} from './chained-site.ts';

const [MARCH, APRIL, MAY] = DATES;
const PRODUCT = 'data/products/soft-fail-3.json';
const messageOf = (faults: readonly Fault[]) => new InputError(faults).message;
const OTHER = 'url,class\nhttps://new.example/,dead\n';

/** States of a site, each with a gate. A buyer sees one of them at a time. */
const states = {
  april: (site: ChainedSite) => site.put(APRIL, MARCH),
  dearer: (site: ChainedSite) => site.write(PRODUCT, {...CLASS_SHARE, price: '$0.03'}),
  async may(site: ChainedSite) {
    await site.write(PRODUCT, CLASS_SHARE);
    await site.put(MAY, APRIL);
  },
  replaced: async (site: ChainedSite) => {
    await site.put(APRIL, MARCH, OTHER);
    await site.put(MAY, APRIL);
  },
  cut: async (site: ChainedSite) => {
    for (const date of [MARCH, APRIL, MAY, '2026-06-01']) await site.put(date);
  },
} as const;
const gates = new Map<keyof typeof states, Listening>();
let facilitator: StandIn;
let folder: string;

before(async () => {
  facilitator = await startStandIn();
  folder = await mkdtemp(join(tmpdir(), 'states-'));
  await using site = await chainedSite([MARCH]);
  await site.write('data/products/soft-pass.json', SOFT_PASS);
  for (const [name, rewrite] of Object.entries(states) as [
    keyof typeof states,
    (site: ChainedSite) => Promise<void>,
  ][]) {
    await rewrite(site);
    assert.equal((await site.build()).err, '');
    await cp(site.root, join(folder, name), {recursive: true});
    gates.set(name, await startGate(join(folder, name), facilitator.url));
  }
});

after(async () => {
  for (const gate of gates.values()) await gate.stop();
  await facilitator.stop();
  await rm(folder, {recursive: true});
});

/** Changes the response of a site at a path. */
type Alter = (path: string, text: string) => string;

/** A buyer with an empty folder that sees the site in one state after the other. */
async function newBuyer() {
  const options = {account: newAccount(), folder: await newFolder()};
  const at = (state: keyof typeof states, acceptRewritten = false, alter: Alter = (_, text) => text) =>
    buyer({
      ...options,
      acceptRewritten,
      async fetch(input, init) {
        assert.ok(typeof input === 'string');
        const answer = await fetch(input.replace(SITE.base_url, gates.get(state)?.url ?? ''), init);
        return new Response(alter(new URL(input).pathname, await answer.text()), answer);
      },
    });
  const buy = async (state: keyof typeof states, accept?: boolean) =>
    (await at(state, accept).buy(SITE.base_url, 'softfail3')).kind;
  return {...options, at, buy};
}

test('a buyer pays nothing to a site that serves an earlier state, also for a product that it owns, unless it accepts that', async () => {
  const {buy, at} = await newBuyer();
  assert.deepEqual([await buy('april'), await buy('may')], ['bought', 'bought']);
  const settled = facilitator.submitted.length;
  const says =
    /softfail3 was rewritten since this folder last saw it: softfail3 was reset from 2026-05-01T12:00:00\.000Z to 2026-04-01T12:00:00\.000Z\n.*: the freeze of 2026-05-01 of deny-list was removed: the source was reset to 2026-04-01\n.* was not paid$/;
  await assert.rejects(buy('april'), says);
  assert.match(messageOf((await at('april').look(SITE.base_url, 'softfail3')).rewriteFaults), says);
  assert.equal(await buy('may'), 'owned');
  assert.equal(await buy('april', true), 'owned');
  // The accepted state is then the last known one.
  assert.equal(await buy('april'), 'owned');
  assert.equal(facilitator.submitted.length, settled);
});

test('a buyer pays nothing to a site that replaced a freeze together with its digest, or cut its chain', async () => {
  const {buy, folder} = await newBuyer();
  assert.equal(await buy('april'), 'bought');
  const settled = facilitator.submitted.length;
  await assert.rejects(buy('replaced'), /: the freeze of 2026-04-01 of deny-list was changed\n(.*\n)?.* was not paid/);
  await assert.rejects(buy('cut'), /: the chain of deny-list, up to 2026-04-01, is no longer published\n/);
  assert.equal(facilitator.submitted.length, settled);
  const [file = ''] = await readdir(join(folder, 'seen'));
  const seen = join(folder, 'seen', file);
  await writeFile(seen, '{}');
  await assert.rejects(
    buy('may'),
    /seen\/\w+\.json: site is missing, so the site cannot be compared with its earlier state$/,
  );
  await rm(seen);
  assert.equal(await buy('replaced'), 'bought');
  assert.match(await readFile(seen, 'utf8'), /"site":"https:\/\/test\.example"/);
});

/** Replaces text in a free document together with its digest in the catalogue, and changes its entry. */
async function withDigest(
  state: keyof typeof states,
  path: string,
  [from, to]: readonly [string, string],
  entry: Partial<Entry>,
): Promise<Alter> {
  const previous = await readFile(join(folder, state, 'public', path), 'utf8');
  const text = previous.replace(from, to);
  assert.notEqual(text, previous);
  const listed = {sha256: sha256(text), bytes: Buffer.byteLength(text)};
  return (asked, answer) => {
    if (asked === path) return text;
    if (asked !== paths.catalogue) return answer;
    return JSON.stringify(JSON.parse(answer), (_, value: unknown) => {
      if (typeof value !== 'object' || value === null) return value;
      if ('kind' in value && 'paid' in value) return {...value, ...entry};
      return 'url' in value && value.url === SITE.base_url + path ? {...value, ...listed} : value;
    });
  };
}

test('a buyer finds a rewritten history with a new title and a rewritten sample with a new price, and accepts only the new title and price', async () => {
  const {at} = await newBuyer();
  await at('april').buy(SITE.base_url, 'softfail3');
  const settled = facilitator.submitted.length;
  const [sample, history] = [paths.sample('softfail3'), paths.history('softfail3')];
  for (const [state, path, change, title] of [
    ['april', history, ['"rows_n": ', '"rows_n": 9'], 'Mended'],
    ['dearer', sample, ['"rows_n": ', '"rows_n": 9'], undefined],
    ['may', history, ['"rows_n": ', '"rows_n": 9'], undefined],
  ] as const) {
    const alter = await withDigest(state, path, change, title === undefined ? {} : {title});
    const {rewriteFaults} = await at(state, false, alter).look(SITE.base_url, 'softfail3');
    assert.match(
      messageOf(rewriteFaults),
      /the (history|sample) was rewritten: its content up to 2026-04-01T/,
      `${state} ${path}`,
    );
    await assert.rejects(at(state, false, alter).buy(SITE.base_url, 'softfail3'), /was rewritten/);
  }
  const renamed = await withDigest('april', history, ['"title": "Soft Fail 3"', '"title": "Mended"'], {
    title: 'Mended',
  });
  assert.deepEqual((await at('april', false, renamed).look(SITE.base_url, 'softfail3')).rewriteFaults, []);
  assert.deepEqual((await at('dearer').look(SITE.base_url, 'softfail3')).rewriteFaults, []);
  assert.deepEqual((await at('may').look(SITE.base_url, 'softfail3')).rewriteFaults, []);
  assert.equal(facilitator.submitted.length, settled);
});

test('a buyer of a bundle accepts other prices of the bundled products, and finds every other change of its sample', async () => {
  const {at} = await newBuyer();
  await at('april').buy(SITE.base_url, 'softpass');
  assert.deepEqual((await at('dearer').look(SITE.base_url, 'softpass')).rewriteFaults, []);
  const sample = paths.sample('softpass');
  for (const state of ['april', 'dearer'] as const) {
    const alter = await withDigest(state, sample, ['"documents_n": 1', '"documents_n": 2'], {});
    const {rewriteFaults} = await at(state, false, alter).look(SITE.base_url, 'softpass');
    assert.match(messageOf(rewriteFaults), /the sample was rewritten: its content up to 2026-04-01T/);
  }
});

test('a dry run and a refused purchase store nothing about a site', async () => {
  const {at, folder} = await newBuyer();
  await at('april').look(SITE.base_url, 'softfail3');
  await assert.rejects(
    at('april').buy(SITE.base_url, 'softfail3', () => {
      throw new InputError({code: 'FZ604', subject: 'The person', rule: 'said no'});
    }),
    /said no/,
  );
  assert.deepEqual(await readdir(folder), ['.lock']);
});
