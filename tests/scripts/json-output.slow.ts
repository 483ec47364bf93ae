import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'node:test';
import {openLedger} from '../../paywall/ledger/open-ledger.ts';
import {openStall} from '../buy/stall.ts';
import {gitSite} from './git-site.ts';
import {runScript} from './script-run.ts';

/** Members with a value that has names from elsewhere: the rows of a list, a JSON Schema, x402, a JWK. */
const FOREIGN = ['first_rows', 'figures', 'sample', 'schema', 'requirements', 'signing'];

test('commands print one object with ok and names in snake_case', async () => {
  await using site = await gitSite();
  await (await openLedger(site.root)).close();
  const key = join(site.root, 'signing.key');
  await site.write('list.csv', 'name,class,note\na,fraud,x\n');
  const list = join(site.root, 'list.csv');
  for (const [name = '', ...args] of [
    ['build'],
    ['doctor'],
    ['review'],
    ['sales'],
    ['verify', 'site'],
    ['sign', 'new-key', '--output', key, '--write'],
    ['build'],
    ['sign', 'catalogue', '--signing-key-file', key],
    ['sign', 'ownership', '--print-message'],
    ['freeze', 'things', list, '--as-of', '2026-05-01', '--dry-run'],
  ]) {
    const {code, out, err} = await runScript(name, [...args, '--root', site.root, '--json']);
    assert.equal(isOk(out), code === 0, `${name}: ${err}`);
  }
});

test('frozen buy prints one object, also if a dry run finds that it would refuse', async () => {
  await using stall = await openStall();
  const buy = (...args: string[]) =>
    runScript('buy', [stall.gate.url, ...args, '--folder', stall.folder, '--json'], {FROZEN_RPC_URL: ''});
  assert.equal(isOk((await buy()).out), true);
  assert.equal(isOk((await buy('softfail3', '--dry-run')).out), true);
  const dear = await buy('softfail3', '--dry-run', '--max', '0.001');
  assert.deepEqual([dear.code, isOk(dear.out)], [1, false]);
  assert.match(dear.out, /"price": "\$0\.02"[^]+is more than \$0\.001/);
});

/** Returns `ok` of the output. Throws if it is not one object with names in snake_case. */
function isOk(out: string): unknown {
  const value = JSON.parse(out) as {readonly ok?: unknown};
  assertSnakeCase(value);
  return value.ok;
}

function assertSnakeCase(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) assert.match(name, /^[a-z0-9]+(_[a-z0-9]+)*$/);
    if (!FOREIGN.includes(name)) assertSnakeCase(member);
  }
}
