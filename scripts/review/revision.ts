import {InputError} from '../../shared/fault.ts';
import {shownValue} from '../../shared/shown-address.ts';
import type {Repository} from './repository.ts';
import {GENERATED, type State} from './state.ts';

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
  const hasCommits = await repository.git.ask('rev-list', '--all', '--max-count=1');
  const [rule, fix] = hasCommits
    ? [
        'is not a commit of this repository',
        'Correct the name. A shallow clone has only the last commits: `git fetch --unshallow`.',
      ]
    : ['is not a commit, because the repository has none yet', 'Build the site, and commit the result.'];
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
