import {$, which} from 'zx';
import {childEnv} from '../../shared/child-env.ts';
import {InputError} from '../../shared/fault.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';

/** Variables for programs that read settings from the user's home and connect to servers. */
const OF_A_USER = [
  'HOME|USER|LOGNAME|XDG_.*|LANG|LC_.*|TZ|TERM',
  'USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|COMSPEC|PATHEXT|WINDIR',
  'HTTPS?_PROXY|NO_PROXY|ALL_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS',
];

/**
 * Returns the environment for such a program.
 *
 * @param own names of variables that this program reads, as a regular expression: `GIT_.*`
 */
export function programEnv(own: string): NodeJS.ProcessEnv {
  return childEnv(new RegExp(`^(${[...OF_A_USER, own].join('|')})$`, 'i'));
}

export interface Said {
  readonly ok: boolean;
  readonly out: string;
  readonly err: string;
}

export type Command = (args: readonly string[], input?: {readonly cwd?: string}) => Promise<Said>;

/**
 * Finds a command. Throws `InputError` if it is not installed.
 *
 * @param fix how to install it
 * @param env its whole environment
 */
export async function findCommand(name: string, fix: string, env: NodeJS.ProcessEnv): Promise<Command> {
  const path = await which(name, {nothrow: true});
  if (path === null) throw new InputError({code: 'FZ405', subject: name, rule: 'is not installed', fix});
  if (process.platform !== 'win32' && !(await which('bash', {nothrow: true}))) {
    const rule = `is not installed, but is needed to run ${name}`;
    throw new InputError({code: 'FZ405', subject: 'bash', rule});
  }
  return commandAt(path, [], env);
}

/** Returns a command by its path, with arguments that precede all others. */
export function commandAt(path: string, first: readonly string[], env: NodeJS.ProcessEnv): Command {
  // zx's input is a socket, for which Bash would read ~/.bashrc, which takes longer than most commands of git.
  const shell = $({quiet: true, nothrow: true, env, stdio: ['ignore', 'pipe', 'pipe']});
  return async (args, {cwd = process.cwd()} = {}) => {
    const {exitCode, stdout, stderr} = await shell({cwd})`${path} ${[...first, ...args]}`;
    return {ok: exitCode === 0, out: stdout, err: stderr};
  };
}

/** Returns the line of the output that describes the error, without secrets in addresses and without its full stop. */
export function complaintIn({out, err}: Said): string {
  const [said, more] = [linesOf(err), linesOf(out)];
  const at = said.findIndex(line => COMPLAINT.test(line));
  const last = [...said, ...more].at(-1) ?? 'failed without a message';
  const complaint = said[at] ?? more.find(line => COMPLAINT.test(line)) ?? last;
  // Wrangler writes a sentence, and the cause on the next line.
  const next = at >= 0 && /^✘.*\.$/.test(complaint) ? (said[at + 1] ?? '') : '';
  const cause = /^(✘|🪵|If you think)/u.test(next) ? '' : next;
  return withShownAddresses([complaint, cause].map(withoutStop).filter(Boolean).join(': '));
}

const COMPLAINT = /error|fatal|denied|refused|rejected|unable|could not/i;

function linesOf(text: string): string[] {
  const lines = text.split('\n').map(line => line.replace(/\u001b\[[0-9;]*m/g, '').trim());
  return lines.filter(Boolean);
}

function withoutStop(sentence: string): string {
  return sentence.replace(/(?<!\.)\.$/, '');
}
