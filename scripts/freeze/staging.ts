import {existsSync, mkdirSync, rmSync, rmdirSync} from 'node:fs';
import {rename} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import glob from 'fast-glob';
import {onExit} from 'signal-exit';
import {InputError} from '../../shared/fault.ts';
import {onDisk} from './disk.ts';
import type {Order} from './order.ts';

/**
 * The hidden folder, beside the freezes of a source, in which a freeze is prepared: the build does not look into it, and it becomes
 * the freeze in one rename. Ctrl+C removes it; what a killed run left is removed by the next one.
 */
export class Staging implements Disposable {
  readonly root: string;
  /** Below the root. */
  readonly folder: string;
  /** What it becomes. */
  readonly freeze: string;
  #stop: (() => void) | undefined;

  constructor({root, source, date}: Pick<Order, 'root' | 'source' | 'date'>) {
    this.root = root;
    this.freeze = `data/sources/${source}/${date}`;
    this.folder = `data/sources/${source}/.freeze-${process.pid}-${date}`;
  }

  /** Makes the folder, once what killed runs left is gone. */
  async make(): Promise<void> {
    await removeStale(this.root);
    this.#stop = onExit(() => {
      remove(join(this.root, this.folder));
    });
    await onDisk(dirname(this.folder), 'written', () => mkdirSync(join(this.root, this.folder), {recursive: true}));
  }

  /** Throws `InputError` where something stands at the freeze's place: a freeze is never overwritten. */
  checkFree(): void {
    const rule = 'exists already: a freeze is never overwritten (--as-of takes another date)';
    if (existsSync(join(this.root, this.freeze))) throw new InputError({file: this.freeze, rule});
  }

  /** Makes the prepared folder the freeze. Throws `InputError` where another one was quicker. */
  async publish(): Promise<void> {
    this.checkFree();
    try {
      await onDisk(this.freeze, 'written', () => rename(join(this.root, this.folder), join(this.root, this.freeze)));
    } catch (error) {
      this.checkFree();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    if (!this.#stop) return;
    remove(join(this.root, this.folder));
    this.#stop();
  }
}

/** Removes a folder, and the source's and that of all sources where nothing else is in them. */
function remove(folder: string): void {
  // Somebody may still write into it.
  rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 20});
  try {
    rmdirSync(dirname(folder));
    rmdirSync(dirname(dirname(folder)));
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function removeStale(root: string): Promise<void> {
  const cwd = join(root, 'data/sources');
  const found = await glob('*/.freeze-*', {cwd, onlyDirectories: true, dot: true, followSymbolicLinks: false});
  for (const folder of found) {
    if (isRunning(Number(/\.freeze-(\d+)-/.exec(folder)?.[1]))) continue;
    await onDisk(`data/sources/${folder}`, 'written', () => {
      remove(join(cwd, folder));
    });
  }
}

/** This process has no folder yet: one with its number is from an earlier process. */
function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
