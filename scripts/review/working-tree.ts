import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import glob from 'fast-glob';
import {InputError} from '../../shared/fault.ts';
import {readBounded} from '../../buyer/verify/bounded-file.ts';
import {MAX_SITE_BYTES} from '../../buyer/verify/bounds.ts';
import {GENERATED, type State} from './state.ts';

/** Returns the state of the files on disk, committed or not. */
export async function workingTreeState(root: string): Promise<State> {
  const patterns = GENERATED.map(folder => `${folder}/**`);
  const paths = (await glob(patterns, {cwd: root, dot: true, followSymbolicLinks: false})).sort();
  const names = namesOf(root, paths);
  return {
    name: 'the working tree',
    place: '',
    ids: new Map(paths.map((path, index) => [path, names[index] ?? ''])),
    read: path => readBounded(join(root, path), MAX_SITE_BYTES),
  };
}

/** Returns the git object ids of files, to compare them with a commit without reading the commit. */
function namesOf(root: string, paths: readonly string[]): string[] {
  const {status, stdout, stderr} = spawnSync('git', ['hash-object', '--no-filters', '--stdin-paths'], {
    cwd: root,
    // Absolute paths, because git resolves others from the top of the repository. Quoted as C strings.
    input: paths.map(path => `${JSON.stringify(join(root, path))}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: Infinity,
  });
  if (status !== 0)
    throw new InputError({
      code: 'FZ407',
      file: root,
      rule: `cannot be reviewed: git says "${stderr.split('\n')[0] ?? ''}"`,
    });
  return stdout.split('\n').slice(0, -1);
}
