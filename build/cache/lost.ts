import {join} from 'node:path';
import {Worker} from 'node:worker_threads';
import {ifReadable} from '../read/if-readable.ts';
import {fileDigest} from '../read/file-digest.ts';

/** Fewer files are read before a thread has started. */
export const MANY = 1000;

/** SHA-256 of files, by path from the root. */
export type Outputs = Readonly<Record<string, string>>;

/** The paths of files that have other bytes now, or cannot be read. Many are read in a thread, beside what goes on meanwhile. */
export async function lostOf(root: string, outputs: Outputs): Promise<ReadonlySet<string>> {
  const paths = Object.keys(outputs);
  if (paths.length >= MANY) return new Set(await lostBeside(root, outputs));
  return new Set(paths.filter(path => ifReadable(() => fileDigest(join(root, path))) !== outputs[path]));
}

/** All, where no thread can be had. */
function lostBeside(root: string, outputs: Outputs): Promise<readonly string[]> {
  const worker = new Worker(new URL('lost-worker.js', import.meta.url), {workerData: {root, outputs}, execArgv: []});
  return new Promise(resolve => {
    worker.on('message', resolve);
    worker.on('error', () => {
      resolve(Object.keys(outputs));
    });
  });
}
