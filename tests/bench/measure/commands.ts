import {fileOfPackage} from '../../extra/extra.ts';
import {FROZEN} from '../../project.ts';
import type {Command} from './process-run.ts';

/** The names of the publisher's commands. */
export const COMMANDS = ['init', 'dev', 'freeze', 'build', 'review', 'verify', 'deploy', 'start', 'demo'] as const;

/** A command of `frozen`. */
export function commandOf(name: string, ...args: string[]): Command {
  return [process.execPath, FROZEN, name, ...args];
}

/** The build of the site below a folder. */
export function buildOf(root: string): Command {
  return commandOf('build', '--root', root);
}

/** The program of a package that this project has, for Node to run. */
export function binary(name: string): string {
  return fileOfPackage(`.bin/${name}`);
}
