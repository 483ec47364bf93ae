import {InputError} from '../../shared/fault.ts';
import {shownValue} from '../../shared/shown-address.ts';
import {MAX_SITE_BYTES} from '../verify/bounds.ts';
import {firstLine, type Repository} from './repository.ts';
import {GENERATED, type State} from './state.ts';

const SHOWN_DIGITS = 7;

/**
 * The state of a revision, read from git's objects: nothing is checked out. Throws `InputError` where the revision names no commit.
 *
 * @param flag the option that named the revision, for messages
 */
export async function revisionState(repository: Repository, flag: string, revision: string): Promise<State> {
  const commit = await commitOf(repository, flag, revision);
  const ids = await idsOf(repository, commit);
  const place = `${shownValue(revision)}:`;
  return {
    name: `${shownValue(revision)} (${commit.slice(0, SHOWN_DIGITS)})`,
    place,
    ids,
    read: paths => contents(repository, paths, {place, ids}),
  };
}

async function commitOf(repository: Repository, flag: string, revision: string): Promise<string> {
  // In two steps: after `:/text` git would take `^{commit}` for part of the text.
  const object = await nameOf(repository, revision);
  const commit = object === undefined ? undefined : await nameOf(repository, `${object}^{commit}`);
  if (commit !== undefined) return commit;
  const {out: any} = await repository.git(['rev-list', '--all', '--max-count=1']);
  const rule =
    any.length === 0
      ? 'names no commit: the repository has none yet, commit what the build wrote first'
      : 'names no commit of this repository (a shallow clone holds the last ones only)';
  throw new InputError({file: flag, value: revision, rule});
}

/** The one object that git knows by this name. */
async function nameOf({git}: Repository, name: string): Promise<string | undefined> {
  const {code, out} = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', name]);
  // `^HEAD` is a valid revision to git, and none that can be read.
  return code === 0 ? /^[0-9a-f]+$/.exec(out.toString().trim())?.[0] : undefined;
}

/** Object names by path from the site's root; links and submodules are no documents. */
async function idsOf(repository: Repository, commit: string): Promise<Map<string, string>> {
  const {prefix} = repository;
  const folders = GENERATED.map(folder => prefix + folder);
  const {code, out, err} = await repository.git(['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...folders]);
  if (code !== 0) throw new InputError({file: 'git ls-tree', rule: `failed: ${firstLine(err)}`});
  const entries = out.toString().split('\0').map(entryOf);
  return new Map(entries.flatMap(entry => (entry ? [[entry.path.slice(prefix.length), entry.id] as const] : [])));
}

/** `100644 blob 1a2b…<TAB>path` */
function entryOf(line: string): {path: string; id: string} | undefined {
  const [, id, path] = /^100\d{3} blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
  return id !== undefined && path !== undefined ? {path, id} : undefined;
}

async function contents(
  {git}: Repository,
  paths: readonly string[],
  {place, ids}: Pick<State, 'place' | 'ids'>,
): Promise<Map<string, Buffer>> {
  const named = paths.flatMap(path => {
    const id = ids.get(path);
    return id === undefined ? [] : [{path, id}];
  });
  if (named.length === 0) return new Map();
  const catFile = async (option: string, files: typeof named) => {
    const {code, out, err} = await git(['cat-file', option], files.map(({id}) => `${id}\n`).join(''));
    if (code !== 0) throw new InputError({file: 'git cat-file', rule: `failed: ${firstLine(err)}`});
    return out;
  };
  // Little of a repository can be very much of a file.
  const sizes = (await catFile('--batch-check=%(objectsize)', named)).toString('latin1').split('\n');
  let sum = 0;
  const taken = named.filter(({path}, index) => {
    const size = Number.parseInt(sizes[index] ?? '', 10) || 0;
    if (size > MAX_SITE_BYTES)
      throw new InputError({file: place + path, rule: `has more than ${MAX_SITE_BYTES} bytes`});
    sum += size;
    return index === 0 || sum <= MAX_SITE_BYTES;
  });
  const blobs = blobsOf(await catFile('--batch', taken));
  return new Map(taken.map(({path}, index) => [path, blobs[index] ?? missing(path)]));
}

/** `<id> blob <size>`, a line end, that many bytes and another line end, for each object asked for. */
function blobsOf(out: Buffer): (Buffer | undefined)[] {
  const blobs: (Buffer | undefined)[] = [];
  for (let at = 0; at < out.length;) {
    const end = out.indexOf('\n', at);
    const size = / blob (\d+)$/.exec(out.toString('latin1', at, end))?.[1];
    const start = end + 1;
    blobs.push(size === undefined ? undefined : out.subarray(start, start + Number(size)));
    at = size === undefined ? start : start + Number(size) + 1;
  }
  return blobs;
}

function missing(path: string): never {
  throw new InputError({file: path, rule: 'is missing from the repository: fetch it, or run git fsck'});
}
