import assert from 'node:assert/strict';
import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {buyer, newAccount, newFolder} from '../buy/stall.ts';
import {SITE} from '../build/site-fixture.ts';
import {startStandIn, type StandIn} from '../paywall/stand-in.ts';
import {chainedSite, DATES, type ChainedSite} from './chained-site.ts';

const [MARCH, APRIL, MAY] = DATES;
const OTHER = 'url,class\nhttps://new.example/,dead\n';

/** States of a site, each behind a gate of its own; a buyer sees one of them at a time. */
const states = {
  april: (site: ChainedSite) => site.put(APRIL, MARCH),
  may: (site: ChainedSite) => site.put(MAY, APRIL),
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

/** A buyer with a folder of its own, who finds the site in one state after the other. */
async function newBuyer() {
  const options = {account: newAccount(), folder: await newFolder()};
  const at = (state: keyof typeof states, acceptRewritten = false) =>
    buyer({
      ...options,
      acceptRewritten,
      fetch(input, init) {
        assert.ok(typeof input === 'string');
        return fetch(input.replace(SITE.base_url, gates.get(state)?.url ?? ''), init);
      },
    });
  const buy = async (state: keyof typeof states, accept?: boolean) =>
    (await at(state, accept).buy(SITE.base_url, 'softfail3')).kind;
  return {...options, at, buy};
}

test('a buyer pays nothing to a site that serves a former state, also of what it owns, unless told to', async () => {
  const {buy, at} = await newBuyer();
  assert.deepEqual([await buy('april'), await buy('may')], ['bought', 'bought']);
  const settled = facilitator.submitted.length;
  const says =
    /softfail3: was rewritten since this folder last saw it: softfail3 went back from 2026-05-01T12:00:00\.000Z to 2026-04-01T12:00:00\.000Z\n.*: the freeze of 2026-05-01 of deny-list was taken out: it went back to 2026-04-01\n.*: was not paid: /;
  await assert.rejects(buy('april'), says);
  assert.match((await at('april').look(SITE.base_url, 'softfail3')).rewritten?.message ?? '', says);
  assert.equal(await buy('may'), 'owned');
  assert.equal(await buy('april', true), 'owned');
  // What it said then is what was seen last.
  assert.equal(await buy('april'), 'owned');
  assert.equal(facilitator.submitted.length, settled);
});

test('a buyer pays nothing to a site that replaced a freeze together with its digest, or cut its chain', async () => {
  const {buy, folder} = await newBuyer();
  assert.equal(await buy('april'), 'bought');
  const settled = facilitator.submitted.length;
  await assert.rejects(buy('replaced'), /: the freeze of 2026-04-01 of deny-list was changed\n.*: was not paid/);
  await assert.rejects(buy('cut'), /: the chain of deny-list, up to 2026-04-01, is no longer told\n/);
  assert.equal(facilitator.submitted.length, settled);
  await writeFile(join(folder, 'seen.json'), '{}');
  await assert.rejects(buy('may'), /seen\.json: products is missing: bring it back, or remove it/);
  await rm(join(folder, 'seen.json'));
  assert.equal(await buy('replaced'), 'bought');
  assert.match(await readFile(join(folder, 'seen.json'), 'utf8'), /"site": "https:\/\/test\.example"/);
});
