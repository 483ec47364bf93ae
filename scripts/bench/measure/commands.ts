import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Command} from './process-run.ts';

/** The folder of this project. */
export const PROJECT = resolve(import.meta.dirname, '../../..');

const scripts = (
  JSON.parse(readFileSync(resolve(PROJECT, 'package.json'), 'utf8')) as {scripts: Record<string, string>}
).scripts;

/** The names of the publisher's commands in `package.json`. */
export function commandNames(): string[] {
  return Object.keys(scripts).filter(name => scripts[name]?.startsWith('node scripts/start.js ') === true);
}

/** What `npm run <name>` runs, without npm and its shell; it has to run in the folder of the project. */
export function commandOf(name: string, ...args: string[]): Command {
  const [, ...words] = (scripts[name] ?? '').split(' ');
  return [process.execPath, ...words, ...args];
}

/** The program of a package that this project has, for Node to run. */
export function binary(name: string): string {
  return resolve(PROJECT, 'node_modules/.bin', name);
}
