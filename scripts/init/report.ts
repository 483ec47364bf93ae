import {counted} from '../../shared/counted.ts';
import {fromHere, quoted} from '../../shared/command-line.ts';
import {printable} from '../../shared/printable.ts';
import pc from '../terminal/colours.ts';
import type {Repository} from './write-site.ts';

/** A created site. */
export interface Made {
  readonly folder: string;
  readonly files: readonly string[];
  readonly repository: Repository;
}

const NOTES: Readonly<Record<Repository, readonly string[]>> = {
  there: [],
  made: ['It is a git repository of its own, with nothing committed yet.'],
  around: [
    'It is part of the repository around it. GitHub looks for workflows at its top only:',
    'move .github there, and adapt the workflows, which run npm in the folder of the site.',
  ],
  none: ['git is not there, or makes no repository: review and deploy need one.'],
};

/** Returns the report for the terminal: the created files and the next commands. */
export function reportOf({folder, files, repository}: Made): string {
  return [
    ...files.map(file => `  ${file}`),
    '',
    `${pc.green('made')}: ${printable(fromHere(folder))}  ${pc.dim(counted(files.length, 'file'))}`,
    ...NOTES[repository],
    '',
    'Next:',
    ...nextOf(folder).map(command => `  ${command}`),
    '',
    'Its README.md describes how to replace the example with your own list, and how to take real money.',
  ].join('\n');
}

export function reportForPrograms({folder, files, repository}: Made): object {
  return {ok: true, folder, files, repository, next: nextOf(folder)};
}

/** `npm run`, not `npx`: if the tool is not installed yet, it fails instead of downloading a package of another publisher. */
function nextOf(folder: string): string[] {
  const enter = folder === process.cwd() ? [] : [`cd ${quoted(fromHere(folder))}`];
  return [...enter, 'npm install', 'npm run build', 'npm run dev'];
}
