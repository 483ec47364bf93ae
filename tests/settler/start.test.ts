import assert from 'node:assert/strict';
import {chmod, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'node:test';
import {generatePrivateKey} from 'viem/accounts';
import {fixtureSite} from '../paywall/fixture-site.ts';
import {refusedStart} from '../paywall/refused-start.ts';

const FROZEN_RPC_URL = 'http://127.0.0.1:9';
const digits = generatePrivateKey().slice(2);

/** The text of the key file, a change to the file, and the resulting message. */
const files: Readonly<Record<string, readonly [text: string, spoil: (file: string) => Promise<void>, says: RegExp]>> = {
  'is missing': [digits, file => rm(file), /settler\.key does not exist\n$/],
  'is open to its group': [digits, file => chmod(file, 0o640), /settler\.key can be read by other users\n$/],
  'is open to all': [digits, file => chmod(file, 0o604), /can be read by other users/],
  'has too few digits': [
    digits.slice(1),
    () => Promise.resolve(),
    /does not contain a private key of 64 hex digits\n$/,
  ],
  'has two keys': [`${digits}\n${digits}`, () => Promise.resolve(), /does not contain a private key/],
  'contains zero': ['0'.repeat(64), () => Promise.resolve(), /does not contain a private key/],
  'contains a number beyond the order of the curve': [
    'f'.repeat(64),
    () => Promise.resolve(),
    /does not contain a private key/,
  ],
};

describe('a gate that settles by itself refuses to start, in one line without the key,', () => {
  for (const [name, [text, spoil, says]] of Object.entries(files))
    test(`if the key file ${name}`, async () => {
      const site = await fixtureSite();
      const file = join(site.root, 'settler.key');
      await writeFile(file, text, {mode: 0o600});
      await spoil(file);
      const env = {FROZEN_SETTLER_KEY_FILE: file, FROZEN_RPC_URL};
      const {code, err} = await refusedStart(['--root', site.root], env);
      assert.equal(code, 1);
      assert.match(err, says);
      assert.match(err, /^[^\n]+\n$/);
      assert.ok(!err.includes(digits.slice(1, 20)));
      await site.remove();
    });

  for (const [name, [env, says]] of Object.entries<readonly [env: Record<string, string>, says: RegExp]>({
    'without a node': [{}, /^FROZEN_SETTLER_KEY_FILE needs FROZEN_RPC_URL/],
    'beside a facilitator': [
      {FROZEN_RPC_URL, FROZEN_FACILITATOR_URL: 'https://x402.org/facilitator'},
      /^FROZEN_SETTLER_KEY_FILE cannot be combined with FROZEN_FACILITATOR_URL/,
    ],
  }))
    test(name, async () => {
      const {code, err} = await refusedStart([], {FROZEN_SETTLER_KEY_FILE: '/nowhere', ...env});
      assert.equal(code, 2);
      assert.match(err, says);
    });
});
