import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {run} from '../sales/run.ts';

const NODE = 'http://127.0.0.1:9';
const WORKER = 'https://worker.example';
const TRANSACTION = `0x${'1'.repeat(64)}`;
const SIGNATURE = `0x${'1'.repeat(130)}`;
const NO_DOWNLOAD = 'requires a file to download (https:)';

/** A command line, and its error. */
const REFUSED: readonly (readonly [args: readonly string[], faults: readonly string[]])[] = [
  [['witness', '--rpc-url', NODE, '--tsa-ca', 'ca.pem'], ['--tsa-ca requires --tsa']],
  [['witness', '--tsa', NODE, '--key-file', 'key'], ['--key-file requires --rpc-url']],
  [['witness', '--tsa', NODE, '--keystore', 'key', '--passphrase-file', 'secret'], ['--keystore requires --rpc-url']],
  [['witness', '--tsa', NODE, '--passphrase-file', 'secret'], ['--passphrase-file requires --keystore']],
  [
    ['witness', '--rpc-url', NODE, '--key-file', 'key', '--passphrase-file', 'secret'],
    ['--passphrase-file requires --keystore'],
  ],
  [['start', '--admin-host', '127.0.0.1'], ['--admin-host requires --admin-port']],
  [['review', '--json', '--format', 'markdown'], ['--format cannot be used with --json']],
  [['review', '--format', 'terminal', '--json'], ['--format cannot be used with --json']],
  [['sales', '--rpc-url', NODE], ['--rpc-url requires --reconcile']],
  [['sales', '--from-block', '1'], ['--from-block requires --reconcile']],
  [
    ['sales', '--worker', WORKER, '--ledger-url', 'x.db'],
    ['--ledger-url cannot be used with --worker', '--root cannot be used with --worker'],
  ],
  [
    ['sales', '--aws', '--ledger-url', 'x.db'],
    ['--ledger-url cannot be used with --aws', '--root cannot be used with --aws'],
  ],
  [['sales', '--worker', WORKER], ['--root cannot be used with --worker']],
  [['sales', '--aws'], ['--root cannot be used with --aws']],
  ...[['--until', '2026-05-01'], ['--by', 'product'], ['--csv'], ['--aws']].map(
    option =>
      [
        ['sales', '--reconcile', '--rpc-url', NODE, ...option],
        [`${option[0] ?? ''} cannot be used with --reconcile`],
      ] as const,
  ),
  [
    ['sign', 'ownership', '--key-file', 'key', '--passphrase-file', 'secret'],
    ['--passphrase-file requires --keystore'],
  ],
  [['sign', 'ownership', '--print-message', '--passphrase-file', 'secret'], ['--passphrase-file requires --keystore']],
  [
    ['sign', 'ownership', '--signature', SIGNATURE, '--passphrase-file', 'secret'],
    ['--passphrase-file requires --keystore'],
  ],
  [['refund', TRANSACTION, '--rpc-url', NODE], ['--rpc-url requires --paid']],
  [
    ['refund', TRANSACTION, '--ledger-url', 'x.db', '--worker', WORKER],
    ['--ledger-url cannot be used with --worker', '--root cannot be used with --worker'],
  ],
  ...[
    ['--max-mib', '4096'],
    ['--total-timeout', '5'],
  ].map(
    ([option = '', value = '']) =>
      [['freeze', 'list', 'list.csv', option, value], [`${option} ${NO_DOWNLOAD}`]] as const,
  ),
  [
    ['freeze', 'list', 'list.csv', '--primary-key', 'id', '--no-primary-key'],
    ['--no-primary-key cannot be used with --primary-key'],
  ],
  [
    ['freeze', 'list', 'list.csv', '--no-primary-key', '--primary-key', 'id', '--primary-key', 'x'],
    ['--no-primary-key cannot be used with --primary-key'],
  ],
  [['sign', 'next-key', '--lost', '--signing-key-file', 'key'], ['--signing-key-file cannot be used with --lost']],
  [['sign', 'new-key', '--output', 'new.key'], ['--root requires --write']],
  // All of them at once.
  [
    ['sales', '--from-block', '1', '--rpc-url', NODE, '--worker', WORKER, '--ledger-url', 'x.db'],
    [
      '--ledger-url cannot be used with --worker',
      '--root cannot be used with --worker',
      '--rpc-url requires --reconcile',
      '--from-block requires --reconcile',
    ],
  ],
];

/**
 * Command lines with options that all have an effect, with the environment. Each ends with 1, because it finds no site.
 */
const TAKEN: readonly (readonly [args: readonly string[], env?: Readonly<Record<string, string>>])[] = [
  [
    [
      'witness',
      '--tsa',
      NODE,
      '--tsa-ca',
      'ca.pem',
      '--rpc-url',
      NODE,
      '--keystore',
      'key',
      '--passphrase-file',
      'secret',
    ],
  ],
  [['witness', '--rpc-url', NODE, '--key-file', 'key']],
  [['start', '--admin-host', '127.0.0.1', '--admin-port', '0']],
  [['start', '--admin-host', '127.0.0.1'], {FROZEN_ADMIN_PORT: '0'}],
  [['start'], {FROZEN_ADMIN_HOST: '127.0.0.1'}],
  [['review', '--json']],
  [['sales'], {FROZEN_RPC_URL: NODE}],
  [['sales', '--worker', NODE, '--reconcile'], {FROZEN_RPC_URL: NODE, FROZEN_SALES_TOKEN: 'a'.repeat(64)}],
  [['sales', '--reconcile', '--from-block', '1', '--since', '2026-05-01', '--json'], {FROZEN_RPC_URL: NODE}],
  [['sign', 'ownership', '--keystore', 'key', '--passphrase-file', 'secret']],
  [['refund', TRANSACTION], {FROZEN_RPC_URL: NODE}],
  [['refund', TRANSACTION, '--paid', '--rpc-url', NODE]],
  [['freeze', 'list', 'list.csv', 'https://127.0.0.1:9/list.csv', '--max-mib', '1', '--total-timeout', '1']],
  [['freeze', 'list', 'list.csv', '--primary-key', 'id', '--primary-key', 'x']],
  [['freeze', 'list', 'list.csv', '--no-primary-key', '--no-primary-key']],
  [['sign', 'next-key', '--lost'], {FROZEN_SIGNING_KEY_FILE: 'key'}],
  [['sign', 'next-key', '--signing-key-file', 'key']],
  [['sign', 'new-key', '--write', '--output', 'new.key']],
];

describe('options that have no effect because of other options', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'ignored-options-'))));
  after(() => rm(folder, {recursive: true}));

  for (const [args, faults] of REFUSED)
    test(`are refused: frozen ${args.join(' ')}`, async () => {
      const {code, out, err} = await run(...args, '--root', folder);
      assert.deepEqual([code, err], [2, faults.map(fault => `${fault}\n`).join('')]);
      // Only `frozen review --json` of these commands reports faults as JSON.
      assert.equal(out === '', !args.includes('--json'));
    });

  for (const [args, env = {}] of TAKEN) {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value} `);
    test(`are accepted if they have an effect: ${variables.join('')}frozen ${args.join(' ')}`, async t => {
      const own = process.env;
      t.after(() => {
        process.env = own;
      });
      process.env = {...own, ...env};
      const {code, err} = await run(...args, '--root', folder);
      assert.equal(code, 1, err);
    });
  }
});

for (const args of [
  ['buy', 'https://snapshots.example', 'softfail3', '--folder', ''],
  ['sign', 'new-key', '--output', ''],
  ['verify', 'site', '--saved-catalogue', ''],
  ['verify', 'document', ''],
  ['freeze', 'list', 'list.csv', '--primary-key', 'id', '--primary-key', ''],
  ['init', ''],
])
  test(`an empty value, as of an unset variable, is refused: frozen ${args.join(' ')}''`, async () => {
    const {code, err} = await run(...args);
    assert.match(err, /^(--\S+ ""|An argument) is empty\n$/);
    assert.equal(code, 2);
  });
