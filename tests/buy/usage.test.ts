import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'node:test';
import {listen} from '../../scripts/local-chain/listen.ts';
import {frozen} from '../../scripts/program.ts';
import {denySite} from '../build/site-fixture.ts';
import {plainErrors} from '../plain-errors.ts';

const SITE = 'http://127.0.0.1:9';
const ADDRESS = `0x${'1'.repeat(40)}`;

for (const option of [
  ...[
    ['--max', '0.05'],
    ['--budget', '1'],
    ['--key-file', 'missing'],
    ['--network', 'base'],
    ['--only', ADDRESS],
  ],
  ...[['--rpc-url', SITE], ['--accept-rewritten'], ['--dry-run'], ['--watch'], ['--keystore', 'missing']],
])
  test(`frozen buy without a product refuses ${option.join(' ')}`, async () => {
    const {code, err} = await run('buy', SITE, ...option);
    assert.deepEqual([code, err], [2, `${option[0]} does not apply to the list of products\n`]);
  });

test('frozen buy and frozen mcp refuse --passphrase-file without --keystore', async () => {
  for (const args of [
    ['buy', SITE, 'softfail3'],
    ['mcp', SITE],
  ]) {
    const {code, err} = await run(...args, '--passphrase-file', 'missing');
    assert.deepEqual([code, err], [2, '--passphrase-file requires --keystore\n']);
  }
});

test('frozen mcp refuses --host and --token-file without --port, both in one run', async () => {
  const {code, err} = await run('mcp', SITE, '--host', '127.0.0.1', '--token-file', 'missing');
  const rule = 'requires --port';
  assert.deepEqual([code, err], [2, `--host ${rule}\n--token-file ${rule}\n`]);
});

test('frozen mcp names the option of a port that is in use', async () => {
  await using server = await listen({fetch: () => new Response()});
  const {port} = new URL(server.url);
  const {code, err} = await run('mcp', SITE, '--port', port);
  assert.equal(code, 1);
  assert.match(err, new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use: set --port to another port$`, 'm'));
});

test('frozen mcp without a wallet refuses every option for payments', async () => {
  const paying = ['--budget', '1', '--max', '0.05', '--ask-above', '0', '--rpc-url', SITE];
  const {code, err} = await run('mcp', SITE, ...paying);
  const rule = 'requires --key-file, --keystore or FROZEN_BUYER_KEY';
  const flags = ['--max', '--budget', '--rpc-url', '--ask-above'];
  assert.deepEqual([code, err], [2, flags.map(flag => `${flag} ${rule}\n`).join('')]);
});

test('frozen buy accepts --folder, --json and --site-key for a list, and only requires the site', async () => {
  const {code, err} = await run('buy', SITE, '--folder', 'missing', '--json', '--site-key', 'A'.repeat(43));
  assert.equal(code, 1, err);
});

test('missing keys and malformed values are wrong usage, before a request is sent or a file is read', async () => {
  await using site = await denySite();
  const root = ['--root', site.root];
  for (const [args, says] of [
    [['buy', 'snapshots.example', 'softfail3'], /is not the address of a site/],
    [['buy', 'http://snapshots.example', 'softfail3'], /is not https/],
    [['buy', SITE, 'softfail3'], /wallet is missing/],
    [['mcp', `${SITE}/api/v1/softfail3`], /is the address of a document/],
    [['mcp', SITE, '--port', '0', '--host', '0.0.0.0'], /can be reached from elsewhere, so it needs a token$/m],
    [
      ['buy', SITE, 'softfail3', '--only', 'snapshots.example'],
      /snapshots\.example is neither the origin of a site, such as /,
    ],
    [['sign', 'catalogue', ...root], /signing key is missing/],
    [['sign', 'next-key', ...root], /signing key is missing/],
    [['sign', 'new-key', '--output', join(site.root, 'new.key'), '--passphrase'], /passphrase is missing/],
    [['sign', 'ownership', ...root], /wallet is missing/],
    [['freeze', 'x', 'missing.csv', '--as-of', 'May', ...root], /--as-of "May"/],
    [['freeze', 'x', 'missing.csv', '--delimiter', '||', ...root], /--delimiter "\|\|"/],
    [['freeze', 'x', 'missing.json', '--property', 'a..b', ...root], /--property "a\.\.b"/],
  ] as const) {
    const {code, err} = await run(...args);
    assert.equal(code, 2, err);
    assert.match(err, says);
  }
});

test('an empty FROZEN_RPC_URL counts as not set', async () => {
  process.env['FROZEN_RPC_URL'] = '';
  const {code, err} = await run('witness');
  delete process.env['FROZEN_RPC_URL'];
  assert.equal(code, 2);
  assert.match(err, /^The freezes cannot be confirmed without an authority or a node/);
});

async function run(...args: readonly string[]) {
  const text = {out: '', err: ''};
  const streamTo = (name: 'out' | 'err') => ({write: (chunk: string) => (text[name] += chunk)});
  const code = await frozen(args, {out: streamTo('out'), err: streamTo('err')});
  return {code, out: text.out, err: plainErrors(text.err)};
}
