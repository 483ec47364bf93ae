import assert from 'node:assert/strict';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {generatePrivateKey} from 'viem/accounts';
import {newSigningKey} from '../../shared/signing-key.ts';
import {baseUrl, fixtureSite, payTo, type FixtureSite} from './fixture-site.ts';
import {edwardsKey} from './keyed-facilitator.ts';
import {startMiniflareGate} from './miniflare-gate.ts';
import {path} from './shop.ts';
import {signedSite} from './signed-site.ts';

const {CDP_API_KEY_SECRET} = edwardsKey().env;
const other = await newSigningKey();
const forRealMoney = {FROZEN_FACILITATOR_URL: 'https://facilitator.test'};

interface Case {
  readonly site?: () => Promise<FixtureSite>;
  readonly bindings?: Readonly<Record<string, string>>;
  /** What the Worker writes into its log. */
  readonly says: RegExp;
  /** A text that is neither in the log nor in the response. */
  readonly secret?: string;
}

const cases: Readonly<Record<string, Case>> = {
  'real money without a node of the chain': {
    site: siteOnBase,
    bindings: forRealMoney,
    says: /FROZEN_RPC_URL is not set, but payments on Base are real money/,
  },
  'assets without the catalogue': {
    async site() {
      const site = await fixtureSite();
      await rm(join(site.root, 'public/api/v1/index.json'));
      return site;
    },
    says: /^(\/api\/v1\/index\.json cannot be read from the assets of the Worker\.\n)+$/,
  },
  'the signing key of another site': {
    site: signedSite,
    bindings: {FROZEN_SIGNING_KEY: JSON.stringify(other)},
    says: /The signing key \S+ is not the key of the site/,
    secret: other.d,
  },
  'half of a key of Coinbase': {
    bindings: {CDP_API_KEY_SECRET},
    says: /CDP_API_KEY_SECRET is set without CDP_API_KEY_ID/,
    secret: CDP_API_KEY_SECRET,
  },
  'malformed credentials in the address of its node': {
    bindings: {FROZEN_RPC_URL: 'http://user:%HIDDEN@127.0.0.1:4', FROZEN_SETTLER_KEY: generatePrivateKey()},
    says: /FROZEN_RPC_URL cannot be used: It has credentials in it, which cannot be sent\./,
    secret: 'HIDDEN',
  },
};

describe('a Worker sells nothing, and says why, with', () => {
  for (const [what, {site: open = fixtureSite, bindings = {}, says, secret}] of Object.entries(cases))
    test(what, async () => {
      await using site = await opened(open);
      const worker = await startMiniflareGate(site, bindings);
      const answer = await fetch(worker.url + path);
      const text = await answer.text();
      await worker.scheduled();
      const log = await worker.stop();
      assert.equal(answer.status, 503, log);
      assert.match(text, /Not ready/);
      assert.match(log, says);
      assert.doesNotMatch(log, /^\s+at /m);
      if (secret !== undefined) assert.ok(!(text + log).includes(secret));
    });
});

test('a Worker sells for real money with a node of the chain', async () => {
  await using site = await opened(siteOnBase);
  const worker = await startMiniflareGate(site, {...forRealMoney, FROZEN_RPC_URL: 'https://node.test'});
  assert.equal((await fetch(worker.url + path)).status, 402);
  assert.equal(await worker.stop(), '');
});

async function opened(open: () => Promise<FixtureSite>): Promise<FixtureSite & AsyncDisposable> {
  const site = await open();
  return {...site, [Symbol.asyncDispose]: () => site.remove()};
}

function siteOnBase(): Promise<FixtureSite> {
  return fixtureSite({
    accepts: [{network: 'eip155:8453', pay_to: payTo}],
    alter: ({rules, catalogue}) => {
      for (const each of [rules, catalogue])
        Object.assign(each, JSON.parse(JSON.stringify(each).replaceAll(baseUrl, 'https://snapshots.test')));
    },
  });
}
