import assert from 'node:assert/strict';
import {mkdir, readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {readTree} from '../build/tree.ts';
import {stage} from '../../scripts/freeze/staging.ts';
import {CLASS_SHARE} from '../build/site-fixture.ts';
import {freezeFixture, startFreeze} from './freeze-fixture.ts';
import {runProcess} from './script-run.ts';

const SOURCE = 'data/sources/deny-list';
const KILLS = 4;

/** A list that takes some time to read. */
function longList(): string {
  const classes = ['dead', 'fraud', 'soft_fail'];
  const rows = Array.from({length: 100_000}, (_, n) => `https://h${n}.example/,${classes[n % 3] ?? ''}\n`);
  return `url,class\n${rows.join('')}`;
}

/** Returns the entries of the source's folder, or none if there is no folder. */
async function entries(root: string): Promise<string[]> {
  return await readdir(join(root, SOURCE)).catch(() => []);
}

/** Kills a process of freeze after this many milliseconds, or after this time since its hidden folder exists. */
async function killed(args: readonly string[], signal: NodeJS.Signals, afterMs: number, folder?: string) {
  const child = startFreeze(args);
  child.stdout.resume();
  child.stderr.resume();
  const ended = new Promise<{code: number | null; by: NodeJS.Signals | null}>(resolve =>
    child.once('exit', (code, by) => {
      resolve({code, by});
    }),
  );
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const isStaged = async (root: string) => (await entries(root)).some(name => /^\.freeze-\d+-/.test(name));
  while (folder !== undefined && isRunning() && !(await isStaged(folder))) await sleep(2);
  await sleep(afterMs);
  child.kill(signal);
  return await ended;
}

test('Ctrl+C leaves nothing behind', async () => {
  await using fixture = await freezeFixture();
  const path = await fixture.list('deny.csv', longList());
  const args = ['deny-list', path, '--root', fixture.site.root];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const {by} = await killed(args, signal, 50, fixture.site.root);
    assert.equal(by, signal);
    assert.deepEqual(await readdir(join(fixture.site.root, 'data')), ['site.json']);
  }
});

test('if it is killed at any time, there is a complete freeze or none, and the next one removes the remains', async () => {
  await using fixture = await freezeFixture();
  const {site} = fixture;
  const path = await fixture.list('deny.csv', longList());
  const args = ['deny-list', path, '--root', site.root, '--as-of', '2026-05-01'];
  let started = performance.now();
  const whole = await runProcess('freeze', args);
  assert.equal(whole.err, '');
  let took = performance.now() - started;
  const expected = await readTree(join(site.root, SOURCE));
  let kills = 0;
  for (let run = 0; kills < KILLS; run++) {
    assert.ok(run < 4 * KILLS, `only ${kills} of ${run} runs were killed before their end`);
    await rm(join(site.root, SOURCE), {recursive: true});
    started = performance.now();
    const {by} = await killed(args, 'SIGKILL', took * (0.4 + 0.6 * ((run % KILLS) / (KILLS - 1))));
    if (by === 'SIGKILL') kills += 1;
    // Later runs can be faster than the first one.
    else took = Math.min(took, performance.now() - started);
    const found = (await entries(site.root)).filter(name => !name.startsWith('.'));
    const tree = await readTree(join(site.root, SOURCE));
    const finished = Object.fromEntries(Object.entries(tree).filter(([name]) => !name.startsWith('.')));
    assert.deepEqual(finished, found.length === 0 ? {} : expected, `run ${run}`);
    await mkdir(join(site.root, SOURCE), {recursive: true});
  }

  await rm(join(site.root, SOURCE), {recursive: true, force: true});
  await killed(args, 'SIGKILL', 20, site.root);
  assert.match((await entries(site.root)).join(), /\.freeze-\d+-/);
  await site.write('data/products/soft-fail-3.json', CLASS_SHARE);
  assert.match((await site.build()).err, /^data\/sources\/deny-list does not contain a freeze/m);
  const next = await fixture.freeze('deny-list', path, '--as-of', '2026-05-01');
  assert.equal(next.err, '');
  assert.deepEqual(await entries(site.root), ['2026-05-01']);
  assert.equal((await site.build()).err, '');
});

test('a freeze does not touch the files of a running one, and removes those of a killed one', async () => {
  await using fixture = await freezeFixture();
  await mkdir(join(fixture.site.root, SOURCE, '.freeze-999999999-2026-05-01'), {recursive: true});
  await mkdir(join(fixture.site.root, SOURCE, '.freeze-999999999-2026-05-02'));
  const path = await fixture.list('deny.csv', 'url,class\nhttps://a.example/,dead\n');
  const codes = async () => {
    const runs = ['deny-list', 'things'].map(source => fixture.freeze(source, path, '--as-of', '2026-05-01'));
    return (await Promise.all(runs)).map(({code}) => code);
  };
  {
    using running = stage({
      root: fixture.site.root,
      source: 'deny-list',
      date: '2026-05-03',
      replace: false,
      dryRun: false,
    });
    await running.make();
    assert.deepEqual(await codes(), [1, 0]);
    assert.deepEqual(await entries(fixture.site.root), ['.freeze-lock', `.freeze-${process.pid}-2026-05-03`].sort());
  }
  assert.deepEqual(await codes(), [0, 1]);
  assert.deepEqual(await entries(fixture.site.root), ['2026-05-01']);
});
