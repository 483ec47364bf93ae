import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {PROJECT} from '../project.ts';

/** The path of a file in a package, of tests/extra or of the project. */
export function fileOfPackage(path: string): string {
  const extra = join(PROJECT, 'tests/extra/node_modules', path);
  return existsSync(extra) ? extra : join(PROJECT, 'node_modules', path);
}
