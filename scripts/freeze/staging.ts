import {closeSync, existsSync, mkdirSync, rmSync, rmdirSync} from 'node:fs';
import {rename} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import glob from 'fast-glob';
import {onExit} from 'signal-exit';
import {lockFile, nativeFiles} from '../../shared/file-lock.ts';
import {InputError} from '../../shared/fault.ts';
import {onDisk} from './disk.ts';
import type {Order} from './order.ts';
import {checkReplaceable} from './replaceable.ts';

/** Keeps a source to one freeze at a time. */
const LOCK = '.freeze-lock';

/**
 * The hidden folder, beside the freezes of a source, in which a freeze is prepared: the build does not look into it, and it becomes
 * the freeze in one rename. Ctrl+C removes it; what a killed run left is removed by the next one of the source.
 */
export class Staging implements Disposable {
  readonly root: string;
  /** Below the root. */
  readonly folder: string;
  /** What it becomes. */
  readonly freeze: string;
  /** The folder of the source. */
  readonly #source: string;
  /** Whether it may take the place of a freeze. */
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
   * Makes the folder, once what killed runs left is gone; a dry run removes only what it made. Throws `InputError` where another freeze of the source is at work: both would name
   * the same one before them.
   */
  async make(): Promise<void> {
    const [source, prepared] = [join(this.root, this.#source), join(this.root, this.folder)];
    const mayBeEmpty = [source, dirname(source)].filter(folder => !this.#dryRun || !existsSync(folder));
    const held = await onDisk(this.#source, 'written', () => lockFile(join(source, LOCK)));
    if (held === undefined) {
      const rule = 'is frozen by another process at this moment: run this again once it has ended';
      throw new InputError({file: this.#source, rule});
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

  /** Throws `InputError` where something stands at the freeze's place that the new one must not replace. */
  async checkFree(): Promise<void> {
    if (!existsSync(join(this.root, this.freeze))) return;
    if (this.#replace) {
      await checkReplaceable(this.root, this.freeze);
      return;
    }
    const rule = 'exists already (--as-of takes another date, --replace a freeze that is not committed)';
    throw new InputError({file: this.freeze, rule});
  }

  /**
   * Makes the prepared folder the freeze. One that it replaces changes places with it in one step: there is a freeze at any moment. Throws
   * `InputError` where another one was quicker.
   */
  async publish(): Promise<void> {
    await this.checkFree();
    const [prepared, freeze] = [join(this.root, this.folder), join(this.root, this.freeze)];
    if (existsSync(freeze)) {
      await onDisk(this.freeze, 'written', () => {
        nativeFiles().swapSync(prepared, freeze);
      });
      return;
    }
    try {
      await onDisk(this.freeze, 'written', () => rename(prepared, freeze));
    } catch (error) {
      await this.checkFree();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#end?.();
  }
}

/** Removes the lock file and each of the folders, inner ones first, up to one that is not empty, and only then releases the lock. */
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
  // Somebody may still write into it.
  rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 20});
}
