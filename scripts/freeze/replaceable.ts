import {InputError} from '../../shared/fault.ts';
import {findGit} from '../programs/git.ts';

/**
 * Throws `InputError` if a freeze (a folder relative to the root) may have been published: a known commit contains it, git ignores it, or
 * the site is not in a repository.
 */
export async function checkReplaceable(root: string, folder: string): Promise<void> {
  const refused = (rule: string) => new InputError({code: 'FZ119', file: folder, rule});
  const git = await findGit(root);
  if ((await git.ask('rev-parse', '--show-toplevel')) === undefined)
    throw refused('cannot be replaced: the site is not in a git repository, which would show whether it was committed');
  if ((await git.ask('check-ignore', '--', `${folder}/datapackage.json`)) !== undefined)
    throw refused('cannot be replaced: git ignores it, so it may have been published');
  // A stash is not published.
  const commit = await git.run('log', '--exclude=refs/stash', '--all', '-1', '--format=%h', '--', folder);
  if (commit.trim() === '') return;
  throw refused(`is committed (${commit.trim()}), and a committed freeze is never replaced`);
}
