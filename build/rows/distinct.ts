import {once} from 'node:events';
import {Worker} from 'node:worker_threads';

/** So many numbers are compared before a thread has started. */
export const FEW = 1 << 16;

/**
 * Whether no number stands twice among numbers that are evenly spread, as hashes are. Many are compared in a thread of their own, which
 * takes them over: the array is empty then.
 */
export async function areDistinct(numbers: BigUint64Array<ArrayBuffer>): Promise<boolean> {
  if (numbers.length <= FEW) return new Set(numbers).size === numbers.length;
  const worker = new Worker(new URL('distinct-worker.js', import.meta.url), {
    workerData: numbers,
    transferList: [numbers.buffer],
    execArgv: [],
  });
  const ended = once(worker, 'exit').then(([code]: number[]) => {
    throw new Error(`the comparison of keys ended early, with ${code}`);
  });
  const [distinct] = (await Promise.race([once(worker, 'message'), ended])) as [boolean];
  return distinct;
}
