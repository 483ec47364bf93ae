import {Piscina} from 'piscina';
import type {Composer} from './composer.ts';
import type {SourceResult} from './compose-source.ts';
import type {WorkerPlace} from './worker.ts';
import {nodeFlags} from '../../shared/node-flags.ts';

const SCRIPT = new URL('./worker.ts', import.meta.url);

/**
 * Composes in worker threads, which get to see what the build was called with and nothing else.
 */
export function inThreads(place: WorkerPlace, atOnce: number): Composer {
  const pool = new Piscina({
    filename: SCRIPT.href,
    workerData: place,
    minThreads: atOnce,
    maxThreads: atOnce,
    execArgv: nodeFlags(SCRIPT),
  });
  return {
    atOnce,
    compose: unit => pool.run(unit) as Promise<SourceResult>,
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
