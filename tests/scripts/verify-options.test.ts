import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {frozen} from '../../scripts/program.ts';
import {jsonErrors} from '../json-errors.ts';
import {plainErrors} from '../plain-errors.ts';

const HASH = 'A'.repeat(43);
const NODE = 'http://127.0.0.1:9';

describe('frozen verify', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'verify-options-'));
    for (const [name, text] of [
      ['document.json', '{}'],
      ['rows.csv', 'a\n1\n'],
    ] as const)
      await writeFile(join(folder, name), text);
  });
  after(() => rm(folder, {recursive: true}));

  const usage: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [['site', '.', '--schema', 'a.json'], /Unknown option '--schema'/],
    [['site', '.', '--document', 'a.json'], /Unknown option '--document'/],
    [['site', '.', '--confirmations', '3'], /^--confirmations requires --rpc-url$/m],
    [['site', '.', '--tsa-crl', 'a.crl'], /^--tsa-crl requires --tsa-ca$/m],
    [['document', 'document.json', '--rpc-url', NODE], /Unknown option '--rpc-url'/],
    [['document', 'document.json', '--site-key', HASH], /^--site-key requires --site$/m],
    [['document', 'rows.csv', '--schema', 'a.json'], /^--schema does not apply to a CSV or Parquet file$/m],
    [['document', 'rows.csv', '--data', 'data'], /^--data does not apply to a CSV or Parquet file$/m],
    [['document'], /^Required argument 'file' is missing/],
    [['receipt', 'receipt.json', '--data', 'data'], /Unknown option '--data'/],
    [['receipt', 'receipt.json', '--root', '.'], /Unknown option '--root'/],
  ];
  for (const [args, says] of usage)
    test(`refuses ${args.join(' ')}`, async () => {
      const {code, err} = await run(...args);
      assert.equal(code, 2, err);
      assert.match(err, says);
    });

  test('names every option without effect, also with --json', async () => {
    const {code, out, err} = await run('site', '.', '--confirmations', '3', '--tsa-crl', 'a.crl', '--json');
    assert.equal(code, 2);
    const errors = jsonErrors(out);
    assert.deepEqual(errors.map(({field}) => String(field)).toSorted(), ['--confirmations', '--tsa-crl']);
    assert.equal(err, errors.map(({message}) => `${message.replace(/\.$/, '')}\n`).join(''));
  });

  test('says what is wrong with a file that does not exist, is a folder or an address', async () => {
    for (const kind of ['document', 'receipt']) {
      const missing = await run(kind, 'nosuch');
      assert.deepEqual([missing.code, missing.err], [1, 'nosuch does not exist\n']);
      assert.match((await run(kind, folder)).err, / is a folder$/m);
      const address = await run(kind, 'https://snapshots.example/api/v1/softfail3');
      assert.equal(address.err, 'https://snapshots.example/api/v1/softfail3 is an address, not a file\n');
    }
  });

  test('accepts a document or a receipt only in its own command', async () => {
    const file = join(folder, 'document.json');
    for (const [kind, says] of [
      ['site', /is a file, not the folder of a site/],
      ['document', /because it has no product name or no `as_of`/],
      ['receipt', /is not a receipt/],
    ] as const) {
      const {code, err} = await run(kind, file);
      assert.equal(code, 1);
      assert.match(err, says);
    }
  });

  async function run(...args: readonly string[]) {
    const text = {out: '', err: ''};
    const streamTo = (name: 'out' | 'err') => ({write: (chunk: string) => (text[name] += chunk)});
    const code = await frozen(['verify', ...args], {out: streamTo('out'), err: streamTo('err')});
    return {code, out: text.out, err: plainErrors(text.err)};
  }
});
