import {spawn} from 'node:child_process';
import {InputError} from '../../shared/fault.ts';
import {findGit, gitEnv, gitSays, type Git} from '../programs/git.ts';
import {MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';

/** The git repository of a site. */
export interface Repository extends Disposable {
  /** The path of the site's folder in the repository: empty, or with `/` at the end. */
  readonly prefix: string;
  readonly git: Git;
  /** Returns the bytes of an object. Throws `InputError` about the file if it is missing or too large. */
  readonly read: (id: string, file: string, place: string) => Promise<Buffer>;
}

/** Opens the repository of a site. Throws `InputError` without git or outside a repository. */
export async function openRepository(root: string): Promise<Repository> {
  const git = await findGit(root);
  const said = await git.answer('rev-parse', '--show-prefix');
  if (!said.ok)
    throw new InputError({
      code: 'FZ407',
      file: root,
      rule: `cannot be reviewed: ${gitSays(said)}`,
      ...(said.err.includes('not a git repository') && {
        fix: 'Run the command in the git repository of the site, or name the site with --root.',
      }),
    });
  // Removes only the last line break, because a path may contain line breaks.
  return {prefix: said.out.replace(/\n$/, ''), git, ...objectsOf(root)};
}

/** Reads objects of a repository, one after the other, from one git process. */
function objectsOf(root: string): Pick<Repository, 'read'> & Disposable {
  const env = gitEnv();
  const git = spawn('git', ['cat-file', '--batch'], {cwd: root, env, stdio: ['pipe', 'pipe', 'ignore']});
  // If git ends, its output ends too, which is reported.
  for (const stream of [git, git.stdin]) stream.on('error', () => undefined);
  const chunks = git.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let rest: Buffer = Buffer.alloc(0);

  /** Git answers `<id> blob <size>`, a line break, that many bytes and another line break. */
  async function read(id: string, file: string, place: string): Promise<Buffer> {
    const refuse = (rule: string, fix?: string): never => {
      throw new InputError({code: 'FZ407', file, rule: place + rule, fix});
    };
    const next = async () => (await chunks.next()).value ?? refuse('cannot be read: git cat-file ended');
    git.stdin.write(`${id}\n`);
    while (!rest.includes('\n')) rest = Buffer.concat([rest, await next()]);
    const start = rest.indexOf('\n') + 1;
    const [, digits] = / blob (\d+)\n$/.exec(rest.toString('latin1', 0, start)) ?? [];
    const size = Number(digits ?? refuse('is missing from the repository', 'Fetch it, or run `git fsck`.'));
    // A small compressed object may contain a very large file.
    if (size > MAX_SITE_BYTES) refuse(`has more than ${MAX_SITE_BYTES} bytes`);
    const parts = [rest.subarray(start)];
    for (let held = rest.length - start; held <= size; held += parts.at(-1)?.length ?? 0) parts.push(await next());
    const bytes = Buffer.concat(parts);
    rest = bytes.subarray(size + 1);
    return bytes.subarray(0, size);
  }
  return {read, [Symbol.dispose]: () => void git.kill()};
}
