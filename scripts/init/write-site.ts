import {existsSync} from 'node:fs';
import {mkdir, readdir, rm, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fromHere, quoted, siteFolderAround} from '../../shared/command-line.ts';
import {InputError} from '../../shared/fault.ts';
import {findGit, OF_A_HOOK} from '../programs/git.ts';
import {counted} from '../../shared/counted.ts';
import {printable} from '../../shared/printable.ts';
import pc from '../terminal/colours.ts';

/** An empty folder may contain a repository without commits. */
const REPOSITORY = '.git';

/** Throws `InputError` if a path is not a folder, not empty, or inside a folder that belongs to another site. */
export async function refuseUnsuitable(folder: string): Promise<void> {
  const outer = siteFolderAround(folder);
  if (outer !== undefined) {
    const rule = `is in ${outer}/ of another site, which may contain only files of that site`;
    throw new InputError({code: 'FZ408', file: fromHere(folder), rule, fix: `Name a folder outside of ${outer}/.`});
  }
  const [first] = await entriesOf(folder);
  if (first === undefined) return;
  const rule = `is not empty: it contains ${first}`;
  throw new InputError({code: 'FZ408', file: fromHere(folder), rule, fix: 'Name a new or an empty folder.'});
}

/** Writes all files or none, and overwrites nothing. Throws `InputError` if the disk refuses. */
export async function writeSite(folder: string, files: ReadonlyMap<string, string | Buffer>): Promise<void> {
  const made: string[] = [];
  try {
    for (const [path, content] of files) {
      const file = join(folder, path);
      const firstFolder = await makeFolder(dirname(file));
      if (firstFolder !== undefined) made.push(firstFolder);
      await writeFile(file, '', {flag: 'wx'});
      made.push(file);
      await writeFile(file, content);
    }
  } catch (cause) {
    for (const path of made) await rm(path, {recursive: true, force: true});
    throw refusal(folder, cause, 'written');
  }
}

/**
 * Creates a folder and its missing parents. Returns the outermost one that was created. `mkdir` with `recursive` never ends below `/proc`.
 */
async function makeFolder(folder: string): Promise<string | undefined> {
  if (existsSync(folder)) return undefined;
  const outermost = await makeFolder(dirname(folder));
  await mkdir(folder);
  return outermost ?? folder;
}

/** The git repository of a site: its own (existing or created), a surrounding one, or none if git is missing. */
type Repository = 'there' | 'made' | 'around' | 'none';

/** Creates a git repository if the site is in none. */
export async function inRepository(folder: string): Promise<Repository> {
  if (existsSync(join(folder, REPOSITORY))) return 'there';
  if (isInRepository(dirname(folder))) return 'around';
  const git = await findGit(folder, OF_A_HOOK).catch(() => undefined);
  const made = await git?.ask('-c', 'init.defaultBranch=main', 'init');
  return made === undefined ? 'none' : 'made';
}

function isInRepository(folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(folder, REPOSITORY)) || (above !== folder && isInRepository(above));
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(name => name !== REPOSITORY);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw refusal(folder, cause, 'read');
  }
}

function refusal(folder: string, cause: unknown, done: 'read' | 'written'): unknown {
  const {code} = cause as NodeJS.ErrnoException;
  if (code === undefined) return cause;
  const file = fromHere(folder);
  if (code === 'ENOTDIR') return new InputError({code: 'FZ408', file, rule: 'is not a folder'}, {cause});
  return new InputError({code: 'FZ401', file, rule: `cannot be ${done} (${code})`}, {cause});
}

interface Made {
  readonly folder: string;
  readonly files: readonly string[];
  readonly repository: Repository;
}

const NOTES: Readonly<Record<Repository, readonly string[]>> = {
  there: [],
  made: ['The folder is a new git repository without commits.'],
  around: [
    'The folder is part of an existing git repository. GitHub finds workflows only at the top of a repository:',
    'move .github there, and adapt the workflows, which run npm in the folder of the site.',
  ],
  none: ['git is missing, or could not create a repository: review and deploy need one.'],
};

/** Returns the report for the terminal: the created files and the next commands. */
export function reportOf({folder, files, repository}: Made): string {
  return [
    ...files.map(file => `  ${file}`),
    '',
    `${pc.green('created')}: ${printable(fromHere(folder))}  ${pc.dim(counted(files.length, 'file'))}`,
    ...NOTES[repository],
    '',
    'Next:',
    ...nextOf(folder).map(command => `  ${command}`),
    '',
    'Its README.md describes how to replace the example with your own list, and how to take real money.',
  ].join('\n');
}

/** Returns the output of `init --json`. */
export function reportForPrograms({folder, files, repository}: Made): object {
  return {folder, files, repository, next: nextOf(folder)};
}

/** `npm run`, not `npx`: if the tool is not installed yet, it fails instead of downloading a package of another publisher. */
function nextOf(folder: string): string[] {
  const enter = folder === process.cwd() ? [] : [`cd ${quoted(fromHere(folder))}`];
  return [...enter, 'npm install', 'npm run build', 'npm run dev'];
}
