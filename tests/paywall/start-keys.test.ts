import assert from 'node:assert/strict';
import {chmod, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {keyText, newSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {edwardsKey} from './keyed-facilitator.ts';
import {refusedStart} from './refused-start.ts';
import {signedSite, type SignedSite} from './signed-site.ts';
import {startStandIn, type StandIn} from './stand-in.ts';

const PASSPHRASE = 'a passphrase of a gate';
const {CDP_API_KEY_ID, CDP_API_KEY_SECRET} = edwardsKey().env;

describe('frozen start does not show the keys, and', () => {
  let site: SignedSite;
  let facilitator: StandIn;
  let folder: string;
  let other: SigningKey;

  before(async () => {
    [site, other, facilitator] = [await signedSite(), await newSigningKey(), await startStandIn()];
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
    await writeFile(join(folder, 'site.key'), await keyText(site.key, PASSPHRASE), {mode: 0o600});
    await writeFile(join(folder, 'open.key'), await keyText(site.key));
    await chmod(join(folder, 'open.key'), 0o644);
  });
  after(async () => {
    await facilitator.stop();
    await site.remove();
    await rm(folder, {recursive: true});
  });

  const cases: readonly [what: string, env: () => NodeJS.ProcessEnv, says: RegExp][] = [
    [
      'the signing key of another site',
      () => ({FROZEN_SIGNING_KEY: JSON.stringify(other)}),
      /The signing key \S+ is not the key of the site/,
    ],
    [
      'halves of two signing keys',
      () => ({FROZEN_SIGNING_KEY: JSON.stringify({...site.key, d: other.d})}),
      /do not belong together/,
    ],
    [
      'a signing key that is cut short',
      () => ({FROZEN_SIGNING_KEY: JSON.stringify(site.key).slice(1)}),
      /FROZEN_SIGNING_KEY is not a private Ed25519 key/,
    ],
    ['no passphrase', () => ({FROZEN_SIGNING_KEY_FILE: join(folder, 'site.key')}), /passphrase is missing/],
    [
      'another passphrase',
      () => ({FROZEN_SIGNING_KEY_FILE: join(folder, 'site.key'), FROZEN_SIGNING_PASSPHRASE: 'other'}),
      /site\.key cannot be decrypted: the passphrase/,
    ],
    [
      'a signing key that others can read',
      () => ({FROZEN_SIGNING_KEY_FILE: join(folder, 'open.key')}),
      /open\.key can be read by other users/,
    ],
    [
      'a file of a signing key that does not exist',
      () => ({FROZEN_SIGNING_KEY_FILE: join(folder, 'none.key')}),
      /none\.key does not exist/,
    ],
  ];
  for (const [what, env, says] of cases)
    test(`refuses ${what}`, async () => {
      const given = {FROZEN_FACILITATOR_URL: facilitator.url, ...env()};
      const {code, err} = await refusedStart(['--root', site.root], given);
      assert.equal(code, err.includes('is missing') ? 2 : 1);
      assertOneLine(err, says);
    });

  for (const [what, env, says] of [
    ['the name of a key of Coinbase without the key', {CDP_API_KEY_ID}, /^CDP_API_KEY_ID is set without/],
    [
      'a key of Coinbase that is cut short',
      {CDP_API_KEY_ID, CDP_API_KEY_SECRET: CDP_API_KEY_SECRET.slice(4)},
      /^CDP_API_KEY_SECRET is not a key/,
    ],
    [
      'a key of Coinbase for another facilitator',
      {CDP_API_KEY_ID, CDP_API_KEY_SECRET},
      /^CDP_API_KEY_ID and CDP_API_KEY_SECRET are only for https:\/\/api\.cdp\.coinbase\.com,/,
    ],
    [
      'a token without the address of its facilitator',
      {FROZEN_FACILITATOR_TOKEN: CDP_API_KEY_SECRET},
      /^FROZEN_FACILITATOR_TOKEN is set without FROZEN_FACILITATOR_URL/,
    ],
  ] as const)
    test(`refuses ${what}`, async () => {
      const signing = {FROZEN_SIGNING_KEY: JSON.stringify(site.key)};
      const {code, err} = await refusedStart(['--root', site.root], {...signing, ...env});
      assert.equal(code, 2);
      assertOneLine(err, says);
    });

  test('reports that a gate without the key of its site signs nothing', async () => {
    const {code, err} = await refusedStart(['--root', site.root], {CDP_API_KEY_ID});
    assert.equal(code, 2);
    assert.match(err, /^The site has a signing key, but the gate does not: .* not signed\nCDP_API_KEY_ID is set/);
  });

  function assertOneLine(err: string, says: RegExp): void {
    assert.match(err, says);
    // On a busy machine the facilitator may not answer in time, which is a warning.
    assert.match(err.replace(/^facilitator: [^\n]+\n/, ''), /^[^\n]+\n$/);
    for (const secret of [site.key.d, other.d, CDP_API_KEY_SECRET.slice(4, 16)]) assert.ok(!err.includes(secret));
  }
});
