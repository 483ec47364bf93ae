import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, existsSync, openSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {test} from 'node:test';
import {commandOf} from '../bench/measure/commands.ts';
import {PROJECT} from '../project.ts';
import {denySite} from '../build/site-fixture.ts';
import {fixtureSite} from '../paywall/fixture-site.ts';

const FULL = '/dev/full';
const skip = existsSync(FULL) ? false : `this system has no ${FULL}`;

/** Runs a command with a full disk as its standard output. */
function runFull(name: string, ...args: string[]) {
  const [program, ...words] = commandOf(name, ...args);
  const full = openSync(FULL, 'w');
  try {
    const {status, stderr} = spawnSync(program, words, {cwd: PROJECT, stdio: ['ignore', full, 'pipe']});
    return {status, err: stderr.toString()};
  } finally {
    closeSync(full);
  }
}

const reported = {status: 1, err: 'standard output cannot be written: no space left on device\n'};

test('a command reports in one line that its output cannot be written', {skip}, () => {
  assert.deepEqual(runFull('build', '--help'), reported);
});

test('a report that cannot be written is an error, also if everything else succeeded', {skip}, async () => {
  await using site = await denySite();
  const list = join(site.root, 'data/sources/deny-list/2026-05-01/deny-list.csv');
  assert.deepEqual(runFull('freeze', 'deny-list', list, '--dry-run', '--root', site.root), reported);
});

test('a reader that closes the pipe early, such as `head`, ends a command without a message', async () => {
  const [program, ...words] = commandOf('start', '--help');
  const child = spawn(program, words, {cwd: PROJECT, stdio: ['ignore', 'pipe', 'pipe']});
  child.stdout.destroy();
  const [exit, err] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  assert.deepEqual([exit[0], err], [0, '']);
});

test('a command whose reader closes the pipe early keeps its exit code', async () => {
  const [program, ...words] = commandOf('verify', 'site', 'missing', '--json');
  const child = spawn(program, words, {cwd: PROJECT, stdio: ['ignore', 'pipe', 'ignore']});
  child.stdout.destroy();
  assert.deepEqual((await once(child, 'exit'))[0], 1);
});

test('a command whose messages cannot be written keeps its exit code', async () => {
  const [program, ...words] = commandOf('build', '--unknown');
  const child = spawn(program, words, {cwd: PROJECT, stdio: ['ignore', 'ignore', 'pipe']});
  child.stderr.destroy();
  assert.deepEqual((await once(child, 'exit'))[0], 2);
});

test('a gate with a log that cannot be written answers its current requests, and stops', {skip}, async () => {
  const site = await fixtureSite();
  const [program, ...words] = commandOf('start', '--root', site.root);
  const full = openSync(FULL, 'w');
  const env = {...process.env, PORT: '0'};
  const child = spawn(program, words, {cwd: PROJECT, env, stdio: ['ignore', full, 'pipe']});
  closeSync(full);
  const exited = once(child, 'exit');
  const lines = createInterface({input: child.stderr ?? assert.fail()})[Symbol.asyncIterator]();
  assert.match(
    String((await lines.next()).value),
    /^facilitator: facilitator\.example gives no usable answer to GET \/supported/,
  );
  const greeting = await lines.next();
  assert.equal((await fetch(`${String(greeting.value).replace('Listening on ', '')}/api/v1/index.json`)).status, 200);
  assert.equal((await lines.next()).value, reported.err.trim());
  assert.deepEqual([(await exited)[0], await lines.next()], [reported.status, {value: undefined, done: true}]);
  await site.remove();
});
