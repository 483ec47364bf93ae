import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import {Session} from 'node:inspector/promises';
import {syncBuiltinESMExports} from 'node:module';
import {DuckDBConnection} from '@duckdb/node-api';

/** Calls of the system, digests, statements of DuckDB, processes, and calls of functions. The same on every machine. */
export interface Work {
  readonly stats: number;
  readonly opened: number;
  readonly written: number;
  readonly renamed: number;
  readonly digests: number;
  readonly statements: number;
  readonly processes: number;
  /** Calls of all functions of the project and its packages. Functions in C++, such as those of DuckDB, do not count. */
  readonly calls: number;
}

/** The functions that are counted, by the name of their count. */
const COUNTED = {
  stats: ['statSync', 'lstatSync'],
  opened: ['openSync', 'readFileSync'],
  written: ['writeFileSync'],
  renamed: ['renameSync'],
} as const satisfies Partial<Record<keyof Work, readonly (keyof typeof fs)[]>>;

/** Counts the work of a function. */
export async function workOf(run: () => Promise<unknown>): Promise<Work> {
  const counts = {stats: 0, opened: 0, written: 0, renamed: 0, digests: 0, statements: 0, processes: 0};
  const undo: (() => void)[] = [];
  const count = (object: object, method: string, name: keyof typeof counts) => {
    const original = Reflect.get(object, method) as (...args: unknown[]) => unknown;
    Reflect.set(object, method, function (this: unknown, ...args: unknown[]) {
      counts[name] += 1;
      return original.apply(this, args);
    });
    undo.push(() => Reflect.set(object, method, original));
  };
  for (const [name, methods] of Object.entries(COUNTED))
    for (const method of methods) count(fs, method, name as keyof typeof COUNTED);
  count(crypto, 'hash', 'digests');
  count(childProcess, 'fork', 'processes');
  for (const method of ['run', 'runAndReadAll', 'streamAndReadUntil'])
    count(DuckDBConnection.prototype, method, 'statements');
  syncBuiltinESMExports();
  try {
    return {calls: await callsIn(run), ...counts};
  } finally {
    for (const restore of undo) restore();
    syncBuiltinESMExports();
  }
}

/** Returns the number of function calls, which V8 counts for reports of coverage. */
async function callsIn(run: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', {callCount: true, detailed: false});
    await run();
    const {result} = await session.post('Profiler.takePreciseCoverage');
    const ofFiles = result.filter(({url}) => url.startsWith('file:') && !url.includes('/tests/build/work.'));
    const ranges = ofFiles.flatMap(({functions}) => functions.flatMap(({ranges}) => ranges));
    return ranges.reduce((total, {count}) => total + count, 0);
  } finally {
    session.disconnect();
  }
}

/** The work of one build that another does not have, for each of so many products, sources or rows. */
export function further(more: Work, less: Work, many: number): Work {
  const names = Object.keys(less) as (keyof Work)[];
  return Object.fromEntries(
    names.map(name => [name, Math.round((more[name] - less[name]) / many) || 0]),
  ) as unknown as Work;
}

/** The factor by which the number of function calls may differ. All other numbers are exact. */
const MOST = 1.3;

/** Throws unless the work is as expected. If it is less, the expectation must be changed too, so that it remains a limit. */
export function assertWork(work: Readonly<Record<string, Work>>, expected: Readonly<Record<string, Work>>): void {
  const judged = Object.entries(work).map(([name, {calls, ...others}]) => {
    const usual = expected[name]?.calls ?? 0;
    const isUsual = calls <= usual * MOST && calls >= usual / MOST;
    return [name, {...others, calls: isUsual ? usual : calls}] as const;
  });
  assert.deepEqual(Object.fromEntries(judged), expected);
}
