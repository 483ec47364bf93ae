import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {test} from 'node:test';
import {promisify} from 'node:util';
import {FUNCTIONS, TYPES} from '../../build/kinds/query/allowed.ts';
import {AGGREGATES, CALLS, WINDOWS} from './query-calls.ts';
import type {Answered} from './query-runner.ts';

/** Returns the result of every call, and the functions in its syntax tree, in a process with these settings. */
async function answers(settings: object, env: NodeJS.ProcessEnv): Promise<Record<string, Answered>> {
  const {stdout} = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'query-runner.ts'), JSON.stringify(settings)],
    {env: {PATH: process.env['PATH'], ...env}, maxBuffer: 1 << 26},
  );
  return JSON.parse(stdout) as Record<string, Answered>;
}

const allowed = FUNCTIONS.flatMap(({names}) => names);

test('every function that queries may call returns the same bytes in another process, with other settings and rows in another order', async () => {
  const [one, other] = await Promise.all([
    answers({threads: 1, order: 'i'}, {TZ: 'Asia/Tokyo', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', HOME: '/'}),
    answers({threads: 4, order: 'hash(i)', preserve_insertion_order: false}, {TZ: 'America/New_York', LANG: 'C'}),
  ]);
  for (const name of allowed) {
    const answered = one[name];
    assert.ok(answered, `${name} has no call`);
    assert.equal(answered.error, undefined, name);
    assert.ok(answered.calls.includes(name), `${name} is tried by a call of ${answered.calls.join(', ')}`);
    assert.deepEqual(answered, other[name], name);
  }
  const tried = [...CALLS, ...AGGREGATES, ...WINDOWS].flatMap(([, names]) => names.split(' '));
  assert.deepEqual(
    tried.filter(name => !allowed.includes(name)),
    [],
  );
});

test('each name that queries may use is listed once, with a reason', () => {
  for (const groups of [FUNCTIONS, TYPES]) {
    const names = groups.flatMap(group => group.names);
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) < at || name !== name.toLowerCase()),
      [],
    );
    assert.ok(groups.every(({reason}) => reason.length > 10));
  }
});
