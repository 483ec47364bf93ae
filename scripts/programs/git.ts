import {InputError} from '../../shared/fault.ts';
import {complaintIn, findCommand, programEnv, type Command, type Said} from './command.ts';

/** Git in one folder. It never asks for a password: where one is missing, it fails. */
export class Git {
  readonly #command: Command;
  readonly #folder: string;

  constructor(command: Command, folder: string) {
    this.#command = command;
    this.#folder = folder;
  }

  /** What git prints; throws `InputError` with its own words where it refuses. */
  async run(...args: string[]): Promise<string> {
    const said = await this.answer(...args);
    if (said.ok) return said.out;
    throw new InputError({file: `git ${args[0] ?? ''}`, rule: complaintIn(said)});
  }

  /** What git prints, or nothing where it refuses. */
  async ask(...args: string[]): Promise<string | undefined> {
    const {ok, out} = await this.answer(...args);
    return ok ? out.trim() : undefined;
  }

  /** What git prints, and whether it refuses. */
  answer(...args: string[]): Promise<Said> {
    return this.#command(args, {cwd: this.#folder});
  }
}

/** Why git refused, in its own words. */
export function gitSays(said: Said): string {
  return `git says "${complaintIn(said)}"`;
}

/** Within a hook, git says in these variables which repository that is of. Without them it takes the one of the folder it runs in. */
export const OF_A_HOOK = {
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_COMMON_DIR: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
};

/**
 * The environment of git: of this process, the settings of git and ssh, and the tokens that helpers give to a remote. Commands that only
 * read, such as `git status`, do not refresh the index.
 */
export function gitEnv(): NodeJS.ProcessEnv {
  return {
    ...programEnv('GIT_.*|GCM_.*|SSH_.*|GNUPGHOME|DBUS_.*|GH_.*|GITHUB_TOKEN'),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/** Finds git; throws `InputError` where this machine lacks it. @param more variables for it, or without which it runs */
export async function findGit(folder: string, more: NodeJS.ProcessEnv = {}): Promise<Git> {
  const ssh = process.env['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes -o ConnectTimeout=10';
  const env = {...gitEnv(), GIT_SSH_COMMAND: ssh, LC_ALL: 'C', ...more};
  return new Git(await findCommand('git', 'get it from https://git-scm.com', env), folder);
}
