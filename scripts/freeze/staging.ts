import {existsSync, rmSync, rmdirSync} from 'node:fs';
import {rename} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import glob from 'fast-glob';
import {onExit} from 'signal-exit';
import {makeFolders} from '../../build/disk/make-folders.ts';
import {InputError} from '../../shared/fault.ts';
import {onDisk} from './disk.ts';
import type {Order} from './order.ts';
import {checkReplaceable} from './replaceable.ts';

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
  /** Whether it may take the place of a freeze. */
  readonly #replace: boolean;
  #stop: (() => void) | undefined;

  constructor({root, source, date, replace}: Pick<Order, 'root' | 'source' | 'date' | 'replace'>) {
    this.root = root;
    this.#replace = replace;
    this.freeze = `data/sources/${source}/${date}`;
    this.folder = `data/sources/${source}/.freeze-${process.pid}-${date}`;
  }

  /**
   * Makes the folder, once what killed runs left is gone. Throws `InputError` where another freeze of the source is at work: both would name
   * the same one before them.
   */
  async make(): Promise<void> {
    await removeStale(this.root);
    this.#stop = onExit(() => {
      remove(join(this.root, this.folder));
    });
    await onDisk(dirname(this.folder), 'written', () => {
      makeFolders(join(this.root, this.folder));
    });
    const [other] = (await preparedIn(this.root, `${dirname(this.folder)}/.freeze-*`)).filter(
      one => one !== this.folder,
    );
    if (other === undefined) return;
    const rule = 'is of another process, which freezes this source: run this again once it has ended';
    throw new InputError({file: other, rule});
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
        swap(prepared, freeze);
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
    if (!this.#stop) return;
    remove(join(this.root, this.folder));
    this.#stop();
  }
}

/** Has two folders change places. */
function swap(one: string, other: string): void {
  // It brings no types.
  const files = createRequire(import.meta.url)('fs-native-extensions') as {swapSync(a: string, b: string): void};
  files.swapSync(one, other);
}

/** Removes a folder, and the source's and that of all sources where nothing else is in them. */
function remove(folder: string): void {
  // Somebody may still write into it.
  rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 20});
  try {
    rmdirSync(dirname(folder));
    rmdirSync(dirname(dirname(folder)));
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Folders in which a freeze is prepared. */
function preparedIn(cwd: string, pattern: string): Promise<string[]> {
  return glob(pattern, {cwd, onlyDirectories: true, dot: true, followSymbolicLinks: false});
}

async function removeStale(root: string): Promise<void> {
  const cwd = join(root, 'data/sources');
  for (const folder of await preparedIn(cwd, '*/.freeze-*')) {
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
