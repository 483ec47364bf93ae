import {InputError} from '../../shared/fault.ts';
import {findGit, gitSays, type Git} from '../deploy/git.ts';
import {openObjects, type Objects} from './objects.ts';

/** The git repository that holds a site. */
export interface Repository extends Disposable {
  /** The site's folder. */
  readonly root: string;
  /** Path of the site's folder within the repository: empty, or ending in `/`. */
  readonly prefix: string;
  /** The digest that git names content by. */
  readonly digest: string;
  readonly git: Git;
  readonly objects: Objects;
}

/** Finds the repository of a site. Throws `InputError` without git and outside a repository. */
export async function openRepository(root: string): Promise<Repository> {
  const git = await findGit(root);
  const said = await git.answer('rev-parse', '--show-object-format', '--show-prefix');
  if (!said.ok) throw new InputError({file: root, rule: `cannot be reviewed: ${gitSays(said)}`});
  // Two lines, of which the second is a path, and a path may hold line ends itself.
  const [, digest = '', prefix = ''] = /^(\w+)\n(.*)\n$/s.exec(said.out) ?? [];
  const objects = openObjects(root);
  return {root, prefix, digest, git, objects, [Symbol.dispose]: objects[Symbol.dispose]};
}
