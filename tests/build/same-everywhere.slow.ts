import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cp, mkdtemp, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import glob from 'fast-glob';
import {frozen} from '../../scripts/program.ts';
import {FROZEN, PROJECT} from '../project.ts';
import {readOutput} from './tree.ts';

/** A copy of the project's data in another folder. */
async function copyOfData(name: string) {
  const root = await mkdtemp(join(tmpdir(), name));
  await cp(join(PROJECT, 'data'), join(root, 'data'), {recursive: true});
  return {root, [Symbol.asyncDispose]: () => rm(root, {recursive: true})};
}

function build(root: string, options: {env?: Record<string, string>; prefix?: string[]; args?: string[]} = {}) {
  const [command = '', ...args] = [
    ...(options.prefix ?? []),
    process.execPath,
    FROZEN,
    'build',
    '--root',
    root,
    ...(options.args ?? []),
  ];
  return spawnSync(command, args, {cwd: PROJECT, encoding: 'utf8', env: {...process.env, ...options.env}});
}

/**
 * Asserts that the output is the committed one. Other files of a publisher in those folders, such as a `CNAME`, are
 * ignored.
 */
async function assertCommitted(root: string): Promise<void> {
  const [built, committed] = [await readOutput(root), await readOutput(PROJECT)];
  assert.deepEqual(Object.fromEntries(Object.keys(built).map(path => [path, committed[path]])), built);
}

test('the committed output is the output of the build', () => {
  const {status, stdout, stderr} = build(PROJECT, {args: ['--check']});
  assert.equal(status, 0, stdout + stderr);
});

test('two builds in different folders, time zones, locales and umasks write the same bytes', async () => {
  await using here = await copyOfData('here-');
  await using there = await copyOfData("there [1] 'é' ");
  const first = build(here.root, {
    env: {TZ: 'Pacific/Kiritimati', LC_ALL: 'C', LANG: 'C'},
    prefix: ['sh', '-c', 'umask 000; exec "$0" "$@"'],
  });
  const second = build(there.root, {
    env: {TZ: 'America/St_Johns', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8'},
    prefix: ['sh', '-c', 'umask 077; exec "$0" "$@"'],
  });
  assert.equal(first.status, 0, first.stderr);
  assert.equal(second.status, 0, second.stderr);
  assert.deepEqual(await readOutput(here.root), await readOutput(there.root));
  await assertCommitted(here.root);
});

test('DuckDB writes times in UTC on a machine in another time zone, also before it is locked', () => {
  const script = `const {openDuckDb} = await import('./build/rows/duckdb.ts');
    const {connection} = await openDuckDb();
    const read = await connection.runAndReadAll("SELECT CAST(TIMESTAMPTZ '2026-05-01 23:30:00+00' AS VARCHAR)");
    process.stdout.write(read.getRowsJson()[0][0]);`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const env = {...process.env, TZ: 'Asia/Tokyo'};
  const {stdout, stderr} = spawnSync(process.execPath, args, {cwd: PROJECT, encoding: 'utf8', env});
  assert.equal(stdout, '2026-05-01 23:30:00+00', stderr);
});

test('a build needs no network, and a second one writes nothing, whether the first is remembered or not', async context => {
  await using site = await copyOfData('again-');
  const hasOffline = spawnSync('unshare', ['-rn', 'true']).status === 0;
  if (!hasOffline)
    context.diagnostic('this machine does not allow a process to have its own network namespace (unshare -rn)');
  const {status, stderr} = build(site.root, {prefix: hasOffline ? ['unshare', '-rn'] : []});
  assert.equal(status, 0, stderr);
  await assertCommitted(site.root);
  const before = await stamps(site.root);
  for (const again of [() => build(site.root).stdout, () => withoutMemory(site.root)]) {
    assert.match(await again(), /up to date/);
    assert.deepEqual(await stamps(site.root), before);
  }
});

/** Builds in this process, and returns the messages. */
async function withoutMemory(root: string): Promise<string> {
  let said = '';
  const stream = {write: (text: string) => (said += text)};
  await frozen(['build', '--root', root], {out: stream, err: stream});
  return said;
}

async function stamps(root: string): Promise<Record<string, string>> {
  const paths = await glob(['public/**', 'paywall/**', '.build/**'], {cwd: root, dot: true});
  const entries = paths.sort().map(async path => {
    const {ino, mtimeNs, ctimeNs} = await stat(join(root, path), {bigint: true});
    return [path, `${ino} ${mtimeNs} ${ctimeNs}`] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
