import {rmdirSync, rmSync} from 'node:fs';
import {lstat, mkdir, mkdtemp, rename, rm, rmdir} from 'node:fs/promises';
import {basename, dirname, join, posix} from 'node:path';
import glob from 'fast-glob';
import {InputError} from '../../shared/fault.ts';
import {onDisk} from './disk.ts';

const PREFIX = '.freeze-';
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * The hidden folder, beside the freezes of a source, in which a freeze is prepared: the build does not look into it, and it becomes
 * the freeze in one rename. Ctrl+C removes it; what a killed run left is removed by the next one.
 */
export class Staging implements AsyncDisposable {
  readonly root: string;
  readonly source: string;
  /** Below the root. What becomes the freeze is in `freeze/`; anything else in it is scratch. */
  readonly folder: string;
  readonly #made: readonly string[];
  readonly #stop: () => void;

  private constructor(root: string, source: string, folder: string, made: readonly string[]) {
    [this.root, this.source, this.folder, this.#made] = [root, source, folder, made];
    this.#stop = removeOnSignals(join(root, folder), made);
  }

  static async open(root: string, source: string): Promise<Staging> {
    const home = `data/sources/${source}`;
    return await onDisk(home, 'written', async () => {
      const made = await makeFolders(root, home);
      try {
        const path = await mkdtemp(join(root, home, `${PREFIX}${process.pid}-`));
        await mkdir(join(path, 'freeze'));
        return new Staging(root, source, posix.join(home, basename(path)), made);
      } catch (error) {
        await removeStale(root);
        for (const folder of made) await removeEmpty(folder);
        throw error;
      }
    });
  }

  /** The folder that becomes the freeze, below the root. */
  get freeze(): string {
    return posix.join(this.folder, 'freeze');
  }

  /** Makes the prepared folder the freeze of a date. Throws `InputError` where there is one already. */
  async publish(date: string): Promise<void> {
    const folder = `data/sources/${this.source}/${date}`;
    await checkFree(this.root, folder);
    try {
      await onDisk(folder, 'written', () => rename(join(this.root, this.freeze), join(this.root, folder)));
    } catch (error) {
      // Another freeze of this date was quicker.
      await checkFree(this.root, folder);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(join(this.root, this.folder), {recursive: true, force: true});
    for (const folder of this.#made) await removeEmpty(folder);
    this.#stop();
  }
}

/** Throws `InputError` where something stands at a freeze's place: a freeze is never overwritten. */
export async function checkFree(root: string, folder: string): Promise<void> {
  try {
    await lstat(join(root, folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  throw new InputError({
    file: folder,
    rule: 'exists already: a freeze is never overwritten (--as-of takes another date)',
  });
}

/** Removes what runs left behind that were killed. */
export async function removeStale(root: string): Promise<void> {
  const cwd = join(root, 'data/sources');
  const found = await glob(`*/${PREFIX}*`, {cwd, onlyDirectories: true, dot: true, followSymbolicLinks: false});
  for (const folder of found) {
    if (isRunning(Number(/\.freeze-(\d+)-/.exec(folder)?.[1]))) continue;
    await onDisk(`data/sources/${folder}`, 'written', () => rm(join(cwd, folder), {recursive: true, force: true}));
    await removeEmpty(dirname(join(cwd, folder)));
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

/** Makes a folder and those above it; returns those that were not there, deepest first. */
async function makeFolders(root: string, folder: string): Promise<string[]> {
  const first = await mkdir(join(root, folder), {recursive: true});
  const made: string[] = [];
  for (let path = join(root, folder); first !== undefined && path.startsWith(first); path = dirname(path))
    made.push(path);
  return made;
}

async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => {
    if (!isInUse(error)) throw error;
  });
}

function isInUse(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Ends the process the way a signal would, with nothing left behind. */
function removeOnSignals(folder: string, made: readonly string[]): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 20});
    try {
      for (const path of made) rmdirSync(path);
    } catch (error) {
      if (!isInUse(error)) throw error;
    }
    stop();
    // Not `process.exit`, which would wait for what the database is at.
    process.kill(process.pid, signal);
  };
  const stop = () => {
    for (const name of SIGNALS) process.off(name, onSignal);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return stop;
}
