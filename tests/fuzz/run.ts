import {check, interruptAfterTimeLimit, type RunDetails} from 'fast-check';
import lists from './targets/lists.ts';
import queries from './targets/queries.ts';
import requests from './targets/requests.ts';
import shapes from './targets/shapes.ts';
import type {Target} from './target.ts';

export const TARGETS: readonly Target[] = [lists, queries, shapes, requests];

/** The time for a target, the seed, and the first run of it. */
export interface Course {
  readonly ms: number;
  /** The maximum number of runs. */
  readonly runs?: number;
  readonly seed: number;
  readonly path?: string | undefined;
}

/** Runs a target until the time is over or an input fails. Returns the report of the failure, if there is one. */
export async function fuzz(
  target: Target,
  {ms, seed, path, runs = 1_000_000}: Course,
): Promise<{runs: number; failure?: string}> {
  await using opened = await target.open();
  const details = await check(opened.property, {
    seed,
    ...(path !== undefined && {path}),
    numRuns: runs,
    plugins: [interruptAfterTimeLimit(ms)],
  });
  // If the time is over before the first run, nothing failed.
  return details.counterexample
    ? {runs: details.numRuns, failure: failureOf(target, details)}
    : {runs: details.numRuns};
}

function failureOf({name}: Target, {seed, counterexamplePath, counterexample, errorInstance}: RunDetails<unknown>) {
  const error = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return [
    `${name} failed: ${error}`,
    `given: ${JSON.stringify(counterexample)}`,
    `again: npm run fuzz -- --seed ${seed} --path ${counterexamplePath ?? ''} ${name}`,
  ].join('\n');
}
