import {spawn} from 'node:child_process';
import {InputError} from '../../shared/fault.ts';
import {shownValue} from '../../shared/shown-address.ts';
import {MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';
import {findGit, gitEnv, repositoryError} from '../programs/git.ts';
import {GENERATED, type State} from './state.ts';

type Repository = Awaited<ReturnType<typeof openRepository>>;

/**
 * Opens the repository of a site. `prefix` is the path of the site's folder in it: empty, or with `/` at the end. Throws `InputError`
 * without git or outside a repository.
 */
export async function openRepository(root: string) {
  const git = await findGit(root);
  const said = await git.answer('rev-parse', '--show-prefix');
  if (!said.ok) throw repositoryError(root, said);
  // Removes only the last line break, because a path may contain line breaks.
  return {prefix: said.out.replace(/\n$/, ''), git, ...objectsOf(root)};
}

/** Reads objects of a repository, one after the other, from one git process. */
function objectsOf(root: string) {
  const env = gitEnv();
  const git = spawn('git', ['cat-file', '--batch'], {cwd: root, env, stdio: ['pipe', 'pipe', 'ignore']});
  // If git ends, its output ends too, which is reported.
  for (const stream of [git, git.stdin]) stream.on('error', () => undefined);
  const chunks = git.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let rest: Buffer = Buffer.alloc(0);

  /**
   * Returns the bytes of an object. Throws `InputError` about the file if it is missing or too large. Git answers `<id> blob <size>`, a line
   * break, that many bytes and another line break.
   */
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

/**
 * Returns the state of a revision, read from git objects without a checkout. Throws `InputError` if the commit does not exist.
 *
 * @param flag the option with the revision, for messages
 */
export async function revisionState(repository: Repository, flag: string, revision: string): Promise<State> {
  const commit = await commitOf(repository, flag, revision);
  const ids = await idsOf(repository, commit);
  const name = `${shownValue(revision)} (${commit.slice(0, 7)})`;
  const place = `in ${name} `;
  return {name, place, ids, read: path => repository.read(ids.get(path) ?? '', path, place)};
}

async function commitOf(repository: Repository, flag: string, revision: string): Promise<string> {
  // In two steps, because after `:/text` git would read `^{commit}` as part of the text.
  const object = await nameOf(repository, revision);
  const commit = object === undefined ? undefined : await nameOf(repository, `${object}^{commit}`);
  if (commit !== undefined) return commit;
  const rule = 'is not a commit of this repository';
  const fix =
    'Correct the name, or commit the site first. A shallow clone has only the last commits: `git fetch --unshallow`.';
  throw new InputError({code: 'FZ407', field: flag, value: revision, rule, fix});
}

/** Returns the object id of a name, if there is exactly one. */
async function nameOf({git}: Repository, name: string): Promise<string | undefined> {
  const id = await git.ask('rev-parse', '--verify', '--quiet', '--end-of-options', name);
  // `^HEAD` is a valid revision in git, but not an object.
  return id !== undefined && /^[0-9a-f]+$/.test(id) ? id : undefined;
}

/** Returns object ids by path, relative to the site's root. Omits links and submodules. */
async function idsOf({git, prefix}: Repository, commit: string): Promise<Map<string, string>> {
  const folders = GENERATED.map(folder => prefix + folder);
  const out = await git.run('--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', commit, '--', ...folders);
  // `100644 blob 1a2b…<TAB>path`
  const entries = out.matchAll(/(?<=^|\0)100\d{3} blob ([0-9a-f]+)\t([^\0]*)/g);
  return new Map([...entries].map(([, id = '', path = '']) => [path.slice(prefix.length), id]));
}
