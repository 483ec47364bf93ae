import {closeSync, existsSync, mkdirSync, renameSync, rmSync, rmdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import glob from 'fast-glob';
import {onExit} from 'signal-exit';
import {lockFile, nativeFiles} from '../../shared/file-lock.ts';
import {InputError} from '../../shared/fault.ts';
import {findGit} from '../programs/git.ts';
import {onDisk} from './disk.ts';
import type {Order} from './order.ts';

/** Prevents two freezes of a source at the same time. */
const LOCK = '.freeze-lock';

/**
 * The hidden folder, next to the freezes of a source, in which a freeze is prepared. The build ignores it, and a single rename makes it the
 * freeze. Ctrl+C removes it. The next freeze of the source removes what a killed process left.
 */
export class Staging implements Disposable {
  readonly root: string;
  /** Relative to the root. */
  readonly folder: string;
  /** The folder of the finished freeze, relative to the root. */
  readonly freeze: string;
  /** The folder of the source, relative to the root. */
  readonly #source: string;
  /** Whether it may replace a freeze. */
  readonly #replace: boolean;
  readonly #dryRun: boolean;
  #end: (() => void) | undefined;

  constructor({root, source, date, replace, dryRun}: Pick<Order, 'root' | 'source' | 'date' | 'replace' | 'dryRun'>) {
    this.root = root;
    this.#replace = replace;
    this.#dryRun = dryRun;
    this.#source = `data/sources/${source}`;
    this.freeze = `${this.#source}/${date}`;
    this.folder = `${this.#source}/.freeze-${process.pid}-${date}`;
  }

  /**
   * Locks the source and creates the folder, after removing what killed processes left; a dry run removes nothing. Throws `InputError` if
   * another freeze of the source is running: both would name the same previous freeze.
   */
  async make(): Promise<void> {
    const [source, prepared] = [join(this.root, this.#source), join(this.root, this.folder)];
    const mayBeEmpty = [source, dirname(source)].filter(folder => !this.#dryRun || !existsSync(folder));
    const held = await onDisk(this.#source, 'written', () => lockFile(join(source, LOCK)));
    if (held === undefined) {
      const rule = 'is frozen by another process at this moment';
      throw new InputError({code: 'FZ402', subject: this.#source, rule});
    }
    const end = () => {
      remove(prepared);
      unlock(join(source, LOCK), held, mayBeEmpty);
    };
    const stop = onExit(end);
    this.#end = () => {
      end();
      stop();
    };
    const left = await glob('.freeze-*', {cwd: source, onlyDirectories: true, dot: true, followSymbolicLinks: false});
    await onDisk(this.#source, 'written', () => {
      for (const folder of this.#dryRun ? [] : left) remove(join(source, folder));
      mkdirSync(prepared);
    });
  }

  /** Throws `InputError` if the folder of the freeze exists and may not be replaced. */
  async checkFree(): Promise<void> {
    if (!existsSync(join(this.root, this.freeze))) return;
    if (this.#replace) {
      await checkReplaceable(this.root, this.freeze);
      return;
    }
    const fix = 'Choose another date with `--as-of`, or use `--replace` if the freeze is not committed.';
    throw new InputError({code: 'FZ119', file: this.freeze, rule: 'exists already', fix});
  }

  /**
   * Moves the prepared folder to its final path. A replaced freeze is swapped in one step, so that a freeze exists at any time.
   */
  async publish(): Promise<void> {
    await this.checkFree();
    const [prepared, freeze] = [join(this.root, this.folder), join(this.root, this.freeze)];
    await onDisk(this.freeze, 'written', () => {
      if (this.#replace && existsSync(freeze)) nativeFiles().swapSync(prepared, freeze);
      else renameSync(prepared, freeze);
    });
  }

  [Symbol.dispose](): void {
    this.#end?.();
  }
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
