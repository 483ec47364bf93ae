import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {watch, type FSWatcher} from 'chokidar';
import {InputError} from '../../shared/fault.ts';

/** chokidar reports several changes of a file within 50 ms only once, so this is longer. */
const SETTLE_MS = 60;

export interface Changes extends AsyncDisposable {
  /** Resolves when files have changed since the last call and are stable again, or after `patienceMs`. */
  next(patienceMs?: number): Promise<void>;
}

/** Watches `data/` of a site, which need not exist. Rejects if the system cannot watch it. */
export async function watchData(root: string): Promise<Changes> {
  const data = join(root, 'data');
  // Of public/ only whether it exists: the next build writes it again after it was removed.
  const folders = [root, data, join(root, 'public')];
  const isWatched = (path: string) => folders.includes(path) || path.startsWith(join(data, '/'));
  let [told, seen] = [0, 0];
  let isMoved = false;
  let wake = () => {};
  let watcher = await open();

  async function open(): Promise<FSWatcher> {
    // Watching the parent folder reports when `data/` is removed and created.
    const opened = watch(root, {ignored: path => !isWatched(path), ignoreInitial: true, ignorePermissionErrors: true});
    opened.on('all', (event, path) => {
      told++;
      isMoved ||= event.endsWith('Dir') || path === data;
      wake();
    });
    await new Promise<void>((resolve, reject) => {
      opened.once('ready', resolve);
      opened.on('error', cause => {
        reject(
          new InputError(
            {code: 'FZ401', file: 'data', rule: `cannot be watched: ${(cause as Error).message}`},
            {cause},
          ),
        );
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
      // chokidar may stop reporting a folder that was removed and created again, or replaced by a file.
      isMoved = false;
      await watcher.close();
      watcher = await open();
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  };
}
