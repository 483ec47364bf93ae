import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {watch, type FSWatcher} from 'chokidar';
import {InputError} from '../../shared/fault.ts';

/** Longer than the 50 ms in which chokidar tells a second change of a file only once. */
const SETTLE_MS = 60;

/** Changes of `data/`. */
export interface Changes extends AsyncDisposable {
  /** Resolves when something changed since it last did, and then nothing for a moment; after `patienceMs` anyway. */
  next(patienceMs?: number): Promise<void>;
}

/** Watches `data/` of the site below `root`, whether it is there or not. Rejects where the system cannot. */
export async function watchData(root: string): Promise<Changes> {
  const data = join(root, 'data');
  const isData = (path: string) => path === root || path === data || path.startsWith(join(data, '/'));
  let [told, seen] = [0, 0];
  let isMoved = false;
  let wake = () => {};
  let watcher = await open();

  async function open(): Promise<FSWatcher> {
    // The folder above tells when `data/` goes and comes.
    const opened = watch(root, {ignored: path => !isData(path), ignoreInitial: true, ignorePermissionErrors: true});
    opened.on('all', (event, path) => {
      told++;
      isMoved ||= event.endsWith('Dir') || path === data;
      wake();
    });
    await new Promise<void>((resolve, reject) => {
      opened.once('ready', resolve);
      opened.on('error', cause => {
        reject(new InputError({file: 'data', rule: `cannot be watched: ${(cause as Error).message}`}, {cause}));
      });
    });
    return opened;
  }

  return {
    async next(patienceMs) {
      if (told === seen)
        await new Promise<void>(resolve => {
          wake = resolve;
          if (patienceMs !== undefined) setTimeout(resolve, patienceMs);
        });
      do {
        seen = told;
        await delay(SETTLE_MS);
      } while (told > seen);
      if (!isMoved) return;
      // chokidar may lose sight of a folder that goes and comes back, or turns into a file for a while.
      isMoved = false;
      await watcher.close();
      watcher = await open();
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  };
}
