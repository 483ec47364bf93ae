import {join} from 'node:path';
import {fileOfPackage} from '../../extra/extra.ts';
import {FROZEN, PROJECT} from '../../project.ts';
import type {Command} from './process-run.ts';

/** The names of the publisher's commands. */
export const COMMANDS = ['init', 'dev', 'freeze', 'build', 'review', 'verify', 'deploy', 'start', 'demo'] as const;

/** A command of `frozen`. */
export function commandOf(name: string, ...args: string[]): Command {
  return [process.execPath, FROZEN, name, ...args];
}

/** Returns the command that builds the site below a folder, with the compiled code of this or another checkout. */
export function buildOf(root: string, code = PROJECT): Command {
  return [process.execPath, join(code, 'dist/frozen.js'), 'build', '--root', root];
}

/** Returns the path of the program of an installed package, for Node. */
export function binary(name: string): string {
  return fileOfPackage(`.bin/${name}`);
}
