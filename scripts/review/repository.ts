import {$} from 'zx';
import {InputError} from '../../shared/fault.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';

/** The git repository that holds a site. */
export interface Repository {
  /** The site's folder. */
  readonly root: string;
  /** Path of the site's folder within the repository: empty, or ending in `/`. */
  readonly prefix: string;
  /** The digest that git names content by. */
  readonly digest: 'sha1' | 'sha256';
  readonly git: (args: readonly string[], input?: string) => Promise<Answer>;
}

/** What git answered; its output as bytes, because paths and documents may be anything. */
export interface Answer {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

/** Finds the repository of a site. Throws `InputError` without git and outside a repository. */
export async function openRepository(root: string): Promise<Repository> {
  const git = (args: readonly string[], input?: string) => run(root, args, input);
  const {out: digest} = await ask(root, ['rev-parse', '--show-object-format']);
  const {out: prefix} = await ask(root, ['rev-parse', '--show-prefix']);
  return {
    root,
    // One line, whose end is not part of the path; a path may hold line ends itself.
    prefix: prefix.toString().replace(/\n$/, ''),
    digest: digest.toString().trim() === 'sha256' ? 'sha256' : 'sha1',
    git,
  };
}

async function ask(root: string, args: readonly string[]): Promise<Answer> {
  const answer = await run(root, args);
  if (answer.code === 0) return answer;
  throw new InputError({file: root, rule: `cannot be reviewed: git says "${firstLine(answer.err)}"`});
}

/** The first line of what git complains about, with addresses as they may be shown. */
export function firstLine(text: string): string {
  return withShownAddresses(text.trim().split('\n')[0] ?? '');
}

const COMMAND_NOT_FOUND = 127;

async function run(cwd: string, args: readonly string[], input = ''): Promise<Answer> {
  const env = {
    ...process.env,
    LC_ALL: 'C',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  };
  const child = $({cwd, env, input, quiet: true, nothrow: true})`git ${args}`;
  // zx hands output out as text only, which would lose bytes that are not UTF-8.
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const {exitCode, stderr} = await child;
  if (exitCode === COMMAND_NOT_FOUND) throw new InputError({file: 'git', rule: 'is not installed, or not on the PATH'});
  return {code: exitCode ?? 1, out: Buffer.concat(chunks), err: stderr};
}
