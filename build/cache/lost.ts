import {join} from 'node:path';
import {Worker} from 'node:worker_threads';
import {ifReadable} from '../disk/if-readable.ts';
import {fileDigest} from '../disk/file-digest.ts';

/** Fewer files are read before a thread has started. */
export const MANY = 1000;
/** More threads would wait for one another: the system opens the files of a folder one after the other. */
const THREADS = 2;

/** SHA-256 of files, by path from the root. */
export type Outputs = Readonly<Record<string, string>>;

/** The paths of files that have other bytes now, or cannot be read. Many are read in threads, beside what goes on meanwhile. */
export async function lostOf(root: string, outputs: Outputs): Promise<ReadonlySet<string>> {
  const files = Object.entries(outputs);
  if (files.length < MANY) return new Set(files.filter(file => isLost(root, file)).map(([path]) => path));
  const share = Math.ceil(files.length / THREADS);
  const starts = Array.from({length: THREADS}, (_, thread) => thread * share);
  const lost = await Promise.all(starts.map(start => lostBeside(root, files.slice(start, start + share))));
  return new Set(lost.flat());
}

type Output = readonly [path: string, sha256: string];

function isLost(root: string, [path, sha256]: Output): boolean {
  return ifReadable(() => fileDigest(join(root, path))) !== sha256;
}

/** All, where no thread can be had. */
function lostBeside(root: string, files: readonly Output[]): Promise<readonly string[]> {
  const worker = new Worker(new URL('lost-worker.js', import.meta.url), {workerData: {root, files}, execArgv: []});
  return new Promise(resolve => {
    worker.on('message', resolve);
    worker.on('error', () => {
      resolve(files.map(([path]) => path));
    });
  });
}
