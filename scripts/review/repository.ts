import {spawn} from 'node:child_process';
import {InputError} from '../../shared/fault.ts';
import {findGit, gitEnv, gitSays, type Git} from '../programs/git.ts';
import {MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';

/** The git repository that holds a site. */
export interface Repository extends Disposable {
  /** Path of the site's folder within the repository: empty, or ending in `/`. */
  readonly prefix: string;
  readonly git: Git;
  /** The bytes of an object. Throws `InputError` about the file where it is missing or too large. */
  readonly read: (id: string, file: string) => Promise<Buffer>;
}

/** Finds the repository of a site. Throws `InputError` without git and outside a repository. */
export async function openRepository(root: string): Promise<Repository> {
  const git = await findGit(root);
  const said = await git.answer('rev-parse', '--show-prefix');
  if (!said.ok) throw new InputError({file: root, rule: `cannot be reviewed: ${gitSays(said)}`});
  // One line, whose end is not part of the path; a path may hold line ends itself.
  return {prefix: said.out.replace(/\n$/, ''), git, ...objectsOf(root)};
}

/** The objects of a repository, read one after the other from one process of git. */
function objectsOf(root: string): Pick<Repository, 'read'> & Disposable {
  const env = gitEnv();
  const git = spawn('git', ['cat-file', '--batch'], {cwd: root, env, stdio: ['pipe', 'pipe', 'ignore']});
  // Where git ended, its output tells so.
  for (const stream of [git, git.stdin]) stream.on('error', () => undefined);
  const chunks = git.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let rest: Buffer = Buffer.alloc(0);

  /** Git answers `<id> blob <size>`, a line end, that many bytes and another line end. */
  async function read(id: string, file: string): Promise<Buffer> {
    const refuse = (rule: string): never => {
      throw new InputError({file, rule});
    };
    const next = async () => (await chunks.next()).value ?? refuse('cannot be read: git cat-file ended');
    git.stdin.write(`${id}\n`);
    while (!rest.includes('\n')) rest = Buffer.concat([rest, await next()]);
    const start = rest.indexOf('\n') + 1;
    const [, digits] = / blob (\d+)\n$/.exec(rest.toString('latin1', 0, start)) ?? [];
    const size = Number(digits ?? refuse('is missing from the repository: fetch it, or run git fsck'));
    // Little of a repository can be very much of a file.
    if (size > MAX_SITE_BYTES) refuse(`has more than ${MAX_SITE_BYTES} bytes`);
    const parts = [rest.subarray(start)];
    for (let held = rest.length - start; held <= size; held += parts.at(-1)?.length ?? 0) parts.push(await next());
    const bytes = Buffer.concat(parts);
    rest = bytes.subarray(size + 1);
    return bytes.subarray(0, size);
  }
  return {read, [Symbol.dispose]: () => void git.kill()};
}
