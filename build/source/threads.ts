import {Piscina} from 'piscina';
import type {Composer} from './composer.ts';
import type {SourceResult} from './compose-source.ts';
import type {WorkerPlace} from './worker.ts';

/**
 * Composes in worker threads, which get to see what the build was called with and nothing else.
 *
 * @param script what they run, which exports what `worker.ts` does
 */
export function inThreads(place: WorkerPlace, atOnce: number, script: URL): Composer {
  const pool = new Piscina({
    filename: script.href,
    workerData: place,
    minThreads: atOnce,
    maxThreads: atOnce,
    execArgv: [],
  });
  return {
    atOnce,
    compose: unit => pool.run(unit) as Promise<SourceResult>,
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
