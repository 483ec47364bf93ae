import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {test} from 'node:test';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {InputError} from '../../shared/fault.ts';
import {gitSite} from '../scripts/git-site.ts';
import {runProcess, runScript as run} from '../scripts/script-run.ts';

const PASTED = 'https://someone:s3cret@h.example/x?key=s3cret';
const SPACED = 'https://some one:s3c ret@h.example/x';
const SECRET = /s3c|ret@|some ?one/;

// One line per case: a command with an unexpected address, or with one that it refuses.
const commands: readonly (readonly [command: string, ...args: string[]])[] = [
  ['verify', 'site', PASTED],
  ['verify', 'site', PASTED, '--json'],
  ['verify', 'site', 'public', PASTED],
  ['verify', 'site', '--total-timeout', PASTED],
  ['verify', 'site', '--data', PASTED],
  ['verify', 'document', 'package.json', '--site', PASTED],
  ['verify', 'document', 'package.json', '--schema', PASTED.replace('https', 'ftp')],
  ['review', '--base', PASTED],
  ['review', '--base', SPACED],
  ['review', '--base', PASTED, '--json'],
  ['review', '--base', PASTED, '--format', 'markdown'],
  ['review', '--head', 'someone:s3cret@h.example'],
  ['review', PASTED],
  ['review', '--max-rows', PASTED],
  ['review', `--url=${PASTED}`],
  ['review', '--root', PASTED],
  ['freeze', 'list', PASTED],
  ['freeze', PASTED, 'list.csv', '--json'],
  ['freeze', 'list', 'list.csv', '--as-of', PASTED],
  ['freeze', 'list', 'list.csv', '--max-mib', PASTED],
  ['deploy', PASTED],
  ['deploy', 'github-pages', '--dirty', '--remote', PASTED, '--branch', PASTED, '--json'],
  ['deploy', 's3', '--dirty', '--bucket', PASTED, '--endpoint-url', 'http://someone:s3cret@127.0.0.1:1/'],
  ['demo', '--product', PASTED],
  ['build', PASTED],
  ['build', '--root', PASTED],
];

test('every command hides the password of an address that it shows', async () => {
  await using site = await gitSite();
  for (const [command, ...args] of commands) {
    const root = args.includes('--root') || args.includes('package.json') ? [] : ['--root', site.root];
    const {code, out, err} = await run(command, [...args, ...root]);
    assert.ok(code !== 0 && err !== '', `${command} ${args.join(' ')}: ${out}`);
    assert.doesNotMatch(out + err, SECRET, `${command} ${args.join(' ')}`);
  }
});

test('a revision that git knows is shown without the password in it', async () => {
  await using site = await gitSite();
  site.git('commit', '--quiet', '--allow-empty', '--message', PASTED);
  for (const format of [['--format', 'terminal'], ['--format', 'markdown'], ['--json']]) {
    const {out, err} = await run('review', [
      '--root',
      site.root,
      '--base',
      ':/https://someone:s3cret@h.example/x',
      ...format,
    ]);
    assert.equal(err, '');
    assert.doesNotMatch(out, SECRET);
  }
});

test('an invalid value in data/ is shown without the password in it, as text and as JSON', async () => {
  await using site = await gitSite();
  const text = await readFile(join(site.root, 'data/site.json'), 'utf8');
  await site.write('data/site.json', text.replace(/("facilitator_url": )"[^"]*"/, `$1"${PASTED}"`));
  for (const args of [[], ['--json']]) {
    const {out, err} = await run('build', ['--root', site.root, ...args]);
    assert.match(err, /facilitator_url "https:\/\/h\.example\/x" is not/);
    assert.doesNotMatch(out + err, SECRET);
  }
});

test('the gate shows no password of any of its settings', async () => {
  for (const name of ['HOST', 'PORT', 'FROZEN_FACILITATOR_URL', 'FROZEN_RPC_URL']) {
    const {code, err} = await runProcess('start', name === 'PORT' ? [] : ['--port', '0'], {[name]: PASTED});
    assert.ok(code !== 0 && err !== '', name);
    assert.doesNotMatch(err, SECRET, name);
  }
});

test('an error of a facilitator is reported without the passwords in its message', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(500).end(`{"error": "${'x'.repeat(200)} at ${PASTED} and ${PASTED}"}`);
  }).listen(0, '127.0.0.1');
  server.unref();
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  for (const url of [`http://127.0.0.1:${port}`, `http://someone:s3cret@127.0.0.1:${port}/`]) {
    const reported: string[] = [];
    const facilitator = new HttpFacilitator(url, {onTrouble: trouble => reported.push(trouble)});
    // The facilitators here do not read requests.
    const requirements = {network: 'eip155:84532'} as unknown as PaymentRequirements;
    const [address, bytes32] = [`0x${'ab'.repeat(20)}`, `0x${'ab'.repeat(32)}`];
    const authorization = {from: address, to: address, value: '1', validAfter: '0', validBefore: '1', nonce: bytes32};
    const payload: PaymentPayload = {
      x402Version: 2,
      accepted: requirements,
      payload: {signature: bytes32, authorization},
    };
    await facilitator.verify(payload, requirements);
    await facilitator.settle(payload, requirements);
    assert.equal(reported.length, 2);
    assert.doesNotMatch(reported.join('\n'), SECRET);
  }
});

test('a fault shows everything except passwords', () => {
  const fault = {
    code: 'FZ407' as const,
    file: 'HEAD@{1}:public/a.json',
    line: 2,
    value: 'https://h.example/?a=1',
    rule: 'mail me@x.example',
  };
  assert.deepEqual(new InputError(fault).faults, [fault]);
});
