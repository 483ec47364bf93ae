import {Piscina} from 'piscina';
import type {Composer} from './composer.ts';
import type {SourceResult} from './compose-source.ts';
import type {WorkerPlace} from './worker.ts';
import {childEnv} from '../../shared/child-env.ts';
import {nodeFlags} from '../../shared/node-flags.ts';

const SCRIPT = new URL('./worker.ts', import.meta.url);

/**
 * Composes in worker threads, which see the arguments of the build and a small part of its environment.
 *
 * @param script what a thread runs
 */
export function inThreads(place: WorkerPlace, atOnce: number, script = SCRIPT): Composer {
  const pool = new Piscina({
    filename: script.href,
    workerData: place,
    minThreads: atOnce,
    maxThreads: atOnce,
    env: childEnv(),
    execArgv: nodeFlags(script),
  });
  return {
    atOnce,
    compose: unit => pool.run(unit) as Promise<SourceResult>,
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
