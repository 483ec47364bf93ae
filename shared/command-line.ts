import {statSync} from 'node:fs';
import {relative, resolve} from 'node:path';
import {getSystemErrorMap} from 'node:util';
import {ifReadable} from './if-readable.ts';
import {withShownAddresses} from './shown-address.ts';

const PROJECT = resolve(import.meta.dirname, '..');

/**
 * Makes paths of the command line be meant from where npm was called: npm itself runs commands in the folder of the project.
 *
 * @param command its name in `package.json`; in another one's hands, such as a test's, nothing changes
 */
export function standWhereCalled(command: string): void {
  const {npm_lifecycle_event: event, INIT_CWD: folder} = process.env;
  if (event === command && folder) process.chdir(folder);
}

/** The folder that `--root` names, absolute. Throws where it is empty, as that of a variable that is not set, or no folder. */
export function rootFolder(path: string): string {
  if (path === '') throw new Error('--root needs a folder');
  const root = resolve(path);
  if (!ifReadable(() => statSync(root))?.isDirectory()) throw new Error(`--root ${root} is not a folder`);
  return root;
}

/** The command that builds the site below `root`, an absolute path, from where this one was called. */
export function buildCommand(root: string): string {
  return `npm run build${root === PROJECT ? '' : ` -- --root ${quoted(fromHere(root))}`}`;
}

/** An absolute path as it is written where this command was called. */
export function fromHere(path: string): string {
  return relative(process.cwd(), path) || '.';
}

/** A word as it is typed into a shell. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** What is told on standard error, with exit code 2, of words and flags that a command does not take. */
export function wrongUsage(error: unknown): string {
  return `${withShownAddresses((error as Error).message)}\nTry --help.\n`;
}

/**
 * Ends a command whose standard output cannot be written: with one line and exit code 1; where nobody reads any more, as behind
 * `head`, without a word and with the exit code that it has by then.
 *
 * @param end called once; by default the process ends there and then
 */
export function endWithoutOutput(end: (code?: 1) => void = code => process.exit(code)): void {
  let ended = false;
  process.stdout.on('error', ({code, errno = 0, message}: NodeJS.ErrnoException) => {
    if (ended) return;
    ended = true;
    if (code === 'EPIPE') {
      end();
      return;
    }
    // The words of the system, e.g. "no space left on device".
    const [, words = message] = getSystemErrorMap().get(errno) ?? [];
    process.stderr.write(`standard output cannot be written: ${words}\n`);
    end(1);
  });
}
