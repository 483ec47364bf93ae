import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {frozen} from '../../scripts/program.ts';

const RECEIPT = {transaction: null, network: 'eip155:84532', asset: '0x1', payer: '0x2', payTo: '0x3', amount: null};
const HASH = 'A'.repeat(43);
const KINDS = ['folder', 'live site', 'document', 'file of rows', 'receipt'] as const;

/** For each option the arguments, and for which of the targets it is: F folder, L live site, D document, R file of rows, T receipt. */
const MATRIX: readonly (readonly [option: string, args: readonly string[], uses: string])[] = [
  ['--data', ['missing/data'], 'FLD'],
  ['--free-only', [], 'FL'],
  ['--saved-catalogue', ['missing.json'], 'FL'],
  ['--schema', ['missing.json'], 'D'],
  ['--site', ['missing'], 'DRT'],
  ['--site-key', [HASH], 'FLT'],
  ['--document', ['missing.json'], 'T'],
  ['--tsa-ca', ['missing.pem'], 'FL'],
  ['--tsa-crl', ['missing.crl', '--tsa-ca', 'missing.pem'], 'FL'],
  ['--rpc-url', ['http://127.0.0.1:9'], 'FL'],
  ['--confirmations', ['3', '--rpc-url', 'http://127.0.0.1:9'], 'FL'],
  // These hold for every target.
  ['--root', ['.'], 'FLDRT'],
  ['--request-timeout', ['1'], 'FLDRT'],
  ['--total-timeout', ['60'], 'FLDRT'],
  ['--all', [], 'FLDRT'],
  ['--json', [], 'FLDRT'],
];

describe('frozen verify and the options that a target does not use', () => {
  let folder: string;
  let targets: Record<(typeof KINDS)[number], string>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'verify-options-'));
    const put = async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    targets = {
      folder,
      'live site': 'http://127.0.0.1:9',
      document: await put('document.json', '{}'),
      'file of rows': await put('rows.csv', 'a\n1\n'),
      receipt: await put('receipt.json', JSON.stringify(RECEIPT)),
    };
  });
  after(() => rm(folder, {recursive: true}));

  for (const [option, args, uses] of MATRIX)
    for (const [at, kind] of KINDS.entries()) {
      const isUsed = uses.includes('FLDRT'.charAt(at));
      test(`${isUsed ? 'takes' : 'refuses'} ${option} for a ${kind}`, async () => {
        const {code, err} = await run(targets[kind], option, ...args);
        if (isUsed) assert.notEqual(code, 2, err);
        else {
          assert.equal(code, 2, err);
          assert.match(err, new RegExp(`^${option}: (is for .*, and not for|has no effect on) a ${kind}\\b`, 'm'));
        }
      });
    }

  test('refuses options that have no effect without another one', async () => {
    for (const [kind, args, says] of [
      ['folder', ['--confirmations', '3'], /^--confirmations: has no effect without --rpc-url, /],
      ['live site', ['--tsa-crl', 'missing.crl'], /^--tsa-crl: has no effect without --tsa-ca, /],
      ['document', ['--site-key', HASH], /^--site-key: has no effect on a document without --site, /],
    ] as const) {
      const {code, err} = await run(targets[kind], ...args);
      assert.equal(code, 2);
      assert.match(err, says);
    }
    assert.notEqual((await run(targets.document, '--site-key', HASH, '--site', 'missing')).code, 2);
  });

  test('names all of them at once, and with --json for programs as well', async () => {
    const {code, out, err} = await run(targets.receipt, '--rpc-url', 'http://127.0.0.1:9', '--free-only', '--json');
    assert.equal(code, 2);
    const {faults} = JSON.parse(out) as {faults: {file: string; rule: string}[]};
    assert.deepEqual(
      faults.map(({file}) => file),
      ['--free-only', '--rpc-url'],
    );
    assert.equal(err, faults.map(({file, rule}) => `${file}: ${rule}\n`).join(''));
  });

  async function run(...args: readonly string[]) {
    const text = {out: '', err: ''};
    const streamTo = (name: 'out' | 'err') => ({write: (chunk: string) => (text[name] += chunk)});
    const code = await frozen(['verify', ...args], {out: streamTo('out'), err: streamTo('err')});
    return {code, ...text};
  }
});
