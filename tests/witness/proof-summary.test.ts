import assert from 'node:assert/strict';
import {test} from 'node:test';
import {proofSummary} from '../../buyer/verify/proof-result.ts';

const freeze = {date: '2026-05-01', as_of: '2026-05-01T12:00:00.000Z', descriptor: '00'.repeat(32)};
const stamp = {by: 'CN=Stamps', witness: 'CN=Stamps', latest: '2026-05-01T13:00:00.000Z'};
const onBase = {...stamp, by: 'transaction 0xaa… on eip155:8453', witness: 'eip155:8453'};

const summaries = [
  ['one stamp', [stamp], 'by CN=Stamps'],
  ['a duplicate stamp', [stamp, stamp], 'by CN=Stamps'],
  ['a later stamp of the same authority', [{...stamp, latest: '2026-05-02T13:00:00.000Z'}, stamp], 'by CN=Stamps'],
  ['a stamp and a transaction', [stamp, onBase], `by two witnesses: CN=Stamps and ${onBase.by}`],
  ['two transactions of one chain', [onBase, {...onBase, by: 'transaction 0xbb… on eip155:8453'}], `by ${onBase.by}`],
] as const;

for (const [name, proofs, by] of summaries)
  test(`counts each witness once: ${name}`, () => {
    const [check, ...more] = proofSummary(
      'deny-list of 2026-05-01',
      freeze,
      proofs.map(result => ({checks: [], result})),
    );
    assert.deepEqual(more, []);
    assert.equal(check?.detail, `existed no later than 1 May 2026 13:00 UTC, 1 hour after its as_of, ${by}`);
  });
