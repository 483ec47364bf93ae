import {$, which} from 'zx';
import {childEnv} from '../../shared/child-env.ts';
import {InputError} from '../../shared/fault.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';

/** Variables of programs that have settings below the home of a user, and ask servers. */
const OF_A_USER = [
  'HOME|USER|LOGNAME|XDG_.*|LANG|LC_.*|TZ|TERM',
  'USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|COMSPEC|PATHEXT|WINDIR',
  'HTTPS?_PROXY|NO_PROXY|ALL_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS',
];

/**
 * The environment for another program that has settings below the home of a user, and asks servers.
 *
 * @param own names of variables that this program reads, as a regular expression: `GIT_.*`
 */
export function programEnv(own: string): NodeJS.ProcessEnv {
  return childEnv(new RegExp(`^(${[...OF_A_USER, own].join('|')})$`, 'i'));
}

/** What a command answered. */
export interface Said {
  readonly ok: boolean;
  readonly out: string;
  readonly err: string;
}

/** A command of another program that is ready to run. */
export type Command = (args: readonly string[], input?: {readonly cwd?: string}) => Promise<Said>;

/**
 * Finds a command; throws `InputError` where this machine lacks it.
 *
 * @param remedy how to get it
 * @param env its whole environment
 */
export async function findCommand(name: string, remedy: string, env: NodeJS.ProcessEnv): Promise<Command> {
  const path = await which(name, {nothrow: true});
  if (path === null) throw new InputError({file: name, rule: `is not installed: ${remedy}`});
  return commandAt(path, [], env);
}

/** The command that a file is, with arguments that always come first. */
export function commandAt(path: string, first: readonly string[], env: NodeJS.ProcessEnv): Command {
  const shell = $({quiet: true, nothrow: true, env});
  return async (args, {cwd = process.cwd()} = {}) => {
    const {exitCode, stdout, stderr} = await shell({cwd})`${path} ${[...first, ...args]}`;
    return {ok: exitCode === 0, out: stdout, err: stderr};
  };
}

/** The line in which a program says what is wrong, among all it prints; addresses in it are shown without their secrets. */
export function complaintIn({out, err}: Said): string {
  const lines = `${err}\n${out}`
    .split('\n')
    .map(line => line.replace(/\u001b\[[0-9;]*m/g, '').trim())
    .filter(Boolean);
  const complaint = lines.find(line => /error|fatal|denied|refused|unable|could not/i.test(line)) ?? lines.at(-1);
  return withShownAddresses(complaint ?? 'failed without a word');
}
