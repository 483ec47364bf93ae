import assert from 'node:assert/strict';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import type {Ledger} from '../../paywall/ledger/ledger.ts';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {sell} from './filled-ledger.ts';
import {run} from './run.ts';

const [UNKNOWN, SHARED, REFUND] = ['cd', 'ce', 'f1'].map(byte => `0x${byte.repeat(32)}`) as [string, string, string];

describe('frozen refund refuses, and says what to do about,', () => {
  let root: string;
  let ledger: Ledger;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'refund-'));
    await mkdir(join(root, 'data'));
    await writeFile(join(root, 'data/site.json'), '{}');
    ledger = await openLedger(root);
  });
  after(async () => {
    await ledger.close();
    await rm(root, {recursive: true});
  });

  /** The name of a sale that is given to the command, its message, and the beginning of the remedy if it is special. */
  const cases: Readonly<Record<string, readonly [named: () => Promise<string>, message: string, remedy?: string]>> = {
    'a transaction that did not pay': [() => Promise.resolve(UNKNOWN), 'did not pay for a sale in this ledger'],
    'a key of no sale': [() => Promise.resolve('eip155:1 0x1 0x2 0x3'), 'is not the key of a sale in this ledger'],
    'a sale without money': [
      async () => (await sell(ledger, 'unpaid')).key,
      'was not paid: it is unpaid, no money',
      'Do not refund this sale.',
    ],
    'a pending sale': [
      async () => (await sell(ledger, 'pending')).key,
      'is pending: whether it was paid is not known yet',
      'Do not refund it yet.',
    ],
    'a refunded sale': [
      async () => {
        const {key} = await sell(ledger, 'settled');
        assert.equal(await ledger.refund(key, REFUND), true);
        return key;
      },
      `was refunded by ${REFUND} (recorded `,
      'Do not refund it again.',
    ],
    'a transaction that paid for two sales': [
      async () => {
        for (const {key} of [await sell(ledger, 'settled'), await sell(ledger, 'settled')]) {
          await ledger.lease(key, 'me', ['settled']);
          assert.equal(await ledger.move(key, 'me', {to: 'delivered', transaction: SHARED}), true);
        }
        return SHARED;
      },
      'has paid for 2 sales: ',
    ],
  };
  for (const [what, [find, message, remedy]] of Object.entries(cases))
    test(what, async () => {
      const named = await find();
      const {code, err} = await run('refund', '--root', root, named);
      assert.equal(code, 1);
      assert.ok(err.includes(message), err);
      assert.equal(err.trim().split('\n').length, 1);
      const {errors} = JSON.parse((await run('refund', '--root', root, named, '--json')).out) as {
        errors: {fix: string}[];
      };
      if (remedy !== undefined) assert.ok(errors[0]?.fix.startsWith(remedy), errors[0]?.fix);
    });
});
