import {mock} from 'node:test';
import type {MutationTest} from './worker.ts';

// Replaces node:test in the unit tests. It only registers the tests, so that each can run many times in one process.

type Work = (context: Context) => unknown;
type Hook = 'before' | 'beforeEach' | 'afterEach' | 'after';

interface Suite {
  readonly name: string;
  readonly parent: Suite | undefined;
  readonly hooks: Record<Hook, Work[]>;
}

/** Every test, in its order. */
export const registered: MutationTest[] = [];

let suite = newSuite('');
let afterTest: (() => unknown)[] = [];

interface Context {
  readonly mock: typeof mock;
  after(work: () => unknown): void;
}

const context: Context = {
  mock,
  after(work) {
    afterTest.push(work);
  },
};

/** Starts a file: a suite without a parent. */
export function startFile(name: string): void {
  suite = newSuite(name);
}

export function test(name: string, ...rest: readonly unknown[]): void {
  const own = suite;
  const work = rest.at(-1) as Work;
  const path = `${pathOf(own).join(' > ')} > ${name}`;
  const repeated = registered.filter(other => other.name.replace(/ #\d+$/, '') === path).length;
  registered.push({
    name: repeated === 0 ? path : `${path} #${repeated + 1}`,
    run: () => runIn(own, work),
    async stop() {
      for (const each of afterTest) await each();
      mock.reset();
    },
  });
}

export function describe(name: string, ...rest: readonly unknown[]): void {
  const outer = suite;
  suite = newSuite(name, outer);
  (rest.at(-1) as () => void)();
  suite = outer;
}

export const before = (work: Work) => void suite.hooks.before.push(work);
export const beforeEach = (work: Work) => void suite.hooks.beforeEach.push(work);
export const afterEach = (work: Work) => void suite.hooks.afterEach.push(work);
export const after = (work: Work) => void suite.hooks.after.push(work);
export {mock};

async function runIn(own: Suite, work: Work): Promise<void> {
  const inner = suitesOf(own);
  const outer = inner.toReversed();
  afterTest = [];
  let failure: {readonly error: unknown} | undefined;
  const attempt = async (works: readonly Work[]) => {
    for (const each of works)
      try {
        await each(context);
      } catch (error) {
        failure ??= {error};
      }
  };
  await attempt(outer.flatMap(({hooks}) => hooks.before));
  await attempt(outer.flatMap(({hooks}) => hooks.beforeEach));
  if (!failure) await attempt([work]);
  await attempt(afterTest);
  mock.reset();
  await attempt(inner.flatMap(({hooks}) => hooks.afterEach));
  // Without `before`, it ends what exists since the file was loaded, and the tests run again.
  await attempt(inner.filter(({hooks}) => hooks.before.length > 0).flatMap(({hooks}) => hooks.after));
  if (failure) throw failure.error;
}

function newSuite(name: string, parent?: Suite): Suite {
  return {name, parent, hooks: {before: [], beforeEach: [], afterEach: [], after: []}};
}

/** Returns a suite and the suites around it, innermost first. */
function suitesOf(own: Suite): Suite[] {
  return [own, ...(own.parent ? suitesOf(own.parent) : [])];
}

function pathOf(own: Suite): string[] {
  return suitesOf(own)
    .toReversed()
    .map(({name}) => name);
}
