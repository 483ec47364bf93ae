import {InputError} from '../../shared/fault.ts';
import {complaintIn, findCommand, programEnv, type Said} from './command.ts';

export type Git = Awaited<ReturnType<typeof findGit>>;

/** Returns an error message of git as a part of a sentence. */
export function gitSays(said: Said): string {
  return `git says "${complaintIn(said)}"`;
}

/** Returns the error of a command that needs the repository of a folder. Outside of a repository, the remedy is to create one. */
export function repositoryError(folder: string, said: Said): InputError {
  const [rule, fix] = said.err.includes('not a git repository')
    ? ['is not in a git repository', 'Run `git init` in the folder of the site, and commit the site.']
    : [`cannot be used: ${gitSays(said)}`];
  return new InputError({code: 'FZ407', file: folder, rule, fix});
}

/** Variables that git sets in a hook, unset so that git uses the repository of its own folder. */
export const OF_A_HOOK = {
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_COMMON_DIR: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
};

/**
 * Returns the environment for git: settings of git and ssh, and tokens of credential helpers. Commands that only read, such as `git
 * status`, do not refresh the index.
 */
export function gitEnv(): NodeJS.ProcessEnv {
  return {
    ...programEnv('GIT_.*|GCM_.*|SSH_.*|GNUPGHOME|DBUS_.*|GH_.*|GITHUB_TOKEN'),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/**
 * Finds git for one folder. It fails instead of asking for a password. Throws `InputError` if it is not installed.
 *
 * @param more variables to add; undefined removes one
 */
export async function findGit(folder: string, more: NodeJS.ProcessEnv = {}) {
  const ssh = process.env['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes -o ConnectTimeout=10';
  const env = {...gitEnv(), GIT_SSH_COMMAND: ssh, LC_ALL: 'C', ...more};
  const command = await findCommand('git', 'Install it from https://git-scm.com.', env);
  /** Returns the output and whether the command succeeded. */
  const answer = (...args: string[]) => command(args, {cwd: folder});
  return {
    answer,
    /** Returns the output. Throws `InputError` with git's message if the command fails. */
    async run(...args: string[]): Promise<string> {
      const said = await answer(...args);
      if (said.ok) return said.out;
      throw new InputError({code: 'FZ407', subject: `git ${args[0] ?? ''}`, rule: `failed: ${complaintIn(said)}`});
    },
    /** Returns the trimmed output, or undefined if the command fails. */
    async ask(...args: string[]): Promise<string | undefined> {
      const {ok, out} = await answer(...args);
      return ok ? out.trim() : undefined;
    },
  };
}
