import {statSync} from 'node:fs';
import {resolve} from 'node:path';

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
  if (!isFolder(root)) throw new Error(`--root ${root} is not a folder`);
  return root;
}

/** What is told on standard error, with exit code 2, of words and flags that a command does not take. */
export function wrongUsage(error: unknown): string {
  return `${(error as Error).message}\nTry --help.\n`;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
