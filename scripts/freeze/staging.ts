import {closeSync, existsSync, mkdirSync, renameSync, rmSync, rmdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import glob from 'fast-glob';
import {onExit} from 'signal-exit';
import {lockFile, nativeFiles} from '../../shared/file-lock.ts';
import {InputError} from '../../shared/fault.ts';
import {findGit} from '../programs/git.ts';
import {withFileErrors} from '../../shared/file-errors.ts';
import type {Order} from './order.ts';

/** Prevents two freezes of a source at the same time. */
const LOCK = '.freeze-lock';

type StagingOrder = Pick<Order, 'root' | 'source' | 'date' | 'replace' | 'dryRun'>;
export type Staging = ReturnType<typeof stage>;

/**
 * Returns the hidden folder, next to the freezes of a source, in which a freeze is prepared. The build ignores it, and a single rename
 * makes it the freeze. Ctrl+C removes it. The next freeze of the source removes what a killed process left.
 */
export function stage({root, source: name, date, replace, dryRun}: StagingOrder) {
  // Relative to the root.
  const source = `data/sources/${name}`;
  const freeze = `${source}/${date}`;
  const folder = `${source}/.freeze-${process.pid}-${date}`;
  const [all, prepared, finished] = [join(root, source), join(root, folder), join(root, freeze)];
  let end = () => {};

  /**
   * Locks the source and creates the folder, after removing what killed processes left; a dry run removes nothing. Throws `InputError` if
   * another freeze of the source is running: both would name the same previous freeze.
   */
  async function make(): Promise<void> {
    const mayBeEmpty = [all, dirname(all)].filter(one => !dryRun || !existsSync(one));
    const held = await withFileErrors(source, 'written', () => lockFile(join(all, LOCK)));
    if (held === undefined) {
      const rule = 'is being frozen by another process';
      throw new InputError({code: 'FZ402', subject: source, rule});
    }
    const clear = () => {
      remove(prepared);
      unlock(join(all, LOCK), held, mayBeEmpty);
    };
    const stop = onExit(clear);
    end = () => {
      clear();
      stop();
    };
    const left = await glob('.freeze-*', {cwd: all, onlyDirectories: true, dot: true, followSymbolicLinks: false});
    await withFileErrors(source, 'written', () => {
      for (const one of dryRun ? [] : left) remove(join(all, one));
      mkdirSync(prepared);
    });
  }

  /** Throws `InputError` if the folder of the freeze exists and may not be replaced. */
  async function checkFree(): Promise<void> {
    if (!existsSync(finished)) return;
    if (replace) {
      await checkReplaceable(root, freeze);
      return;
    }
    const fix = 'Choose another date with `--as-of`, or use `--replace` if the freeze is not committed.';
    throw new InputError({code: 'FZ119', file: freeze, rule: 'already exists', fix});
  }

  /** Moves the prepared folder to its final path. A replaced freeze is swapped in one step, so that a freeze exists at any time. */
  async function publish(): Promise<void> {
    await checkFree();
    await withFileErrors(freeze, 'written', () => {
      if (replace && existsSync(finished)) nativeFiles().swapSync(prepared, finished);
      else renameSync(prepared, finished);
    });
  }

  return {
    ...{root, folder, freeze, make, checkFree, publish},
    [Symbol.dispose]: () => {
      end();
    },
  };
}

/** Removes the lock file and the folders, inner ones first, until one is not empty. Then releases the lock. */
function unlock(lock: string, held: number, folders: readonly string[]): void {
  try {
    rmSync(lock, {force: true});
    for (const folder of folders) rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    closeSync(held);
  }
}

function remove(folder: string): void {
  // Another process may still write into it, so removal is retried.
  rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 20});
}

/**
 * Throws `InputError` if a freeze (a folder relative to the root) may have been published: a known commit contains it, git ignores it, or
 * the site is not in a repository.
 */
async function checkReplaceable(root: string, folder: string): Promise<void> {
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
