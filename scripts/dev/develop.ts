import {printable} from '../../shared/printable.ts';
import {errorStack} from '../../shared/error-message.ts';
import {verdict} from '../build/report.ts';
import pc from '../terminal/colours.ts';
import type {Terminal} from '../terminal/command.ts';
import {Preview, type BuiltSite} from './builder.ts';
import {InputError} from '../../shared/fault.ts';
import {devApp} from './app.ts';
import {listen, type Listening} from '../local-chain/listen.ts';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {watch, type FSWatcher} from 'chokidar';

/** The interval after which a build that failed for a reason outside `data/`, such as another build, is repeated. */
const AGAIN_MS = 1000;

/**
 * Builds the site whenever `data/` changes, and serves it until the process ends. Rejects with `InputError` if it cannot listen or watch,
 * or if the folder no longer exists.
 */
export async function develop(root: string, port: number | undefined, {out, err}: Terminal): Promise<never> {
  const onError = (error: Error) => err.write(`${errorStack(error)}\n`);
  const preview = new Preview(root, onError);
  await using changes = await watchData(root);
  await using server = await serveDev(preview, port);
  let notes: readonly string[] = [];
  for (let round = 0; ; round++) {
    const started = performance.now();
    const {faults} = preview;
    const result = await preview.build();
    const seconds = (performance.now() - started) / 1000;
    if ('gate' in result) reportBuild(result, seconds);
    else if (result.faults !== faults) err.write(`${result.faults}\n`);
    if (round === 0) err.write(`Listening on ${server.url}\n`);
    await changes.next('gate' in result || result.isInData ? undefined : AGAIN_MS);
  }

  function reportBuild({built}: BuiltSite, seconds: number): void {
    for (const note of built.notes) if (!notes.includes(note)) out.write(`${pc.dim(printable(note))}\n`);
    notes = built.notes;
    out.write(`${verdict(built.products.length, built.changes, {root, check: false, seconds})}\n`);
  }
}

const FIRST_PORT = 3000;
const MOST_PORTS = 100;

/** Serves the preview on a port, or on the first free one. Throws `InputError` if it cannot listen. */
async function serveDev(preview: Preview, port: number | undefined): Promise<Listening> {
  const last = port ?? FIRST_PORT + MOST_PORTS;
  for (let tried = port ?? FIRST_PORT; ; tried++)
    try {
      return await listen(devApp(preview), tried);
    } catch (cause) {
      const {code = ''} = cause as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && tried !== last) continue;
      const rule = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${code})`;
      throw new InputError({code: 'FZ907', field: '--port', value: tried, rule}, {cause});
    }
}

/** chokidar reports several changes of a file within 50 ms only once, so this is longer. */
const SETTLE_MS = 60;

interface Changes extends AsyncDisposable {
  /** Resolves when files have changed since the last call and are stable again, or after `patienceMs`. */
  next(patienceMs?: number): Promise<void>;
}

/** Watches `data/` of a site, which need not exist. Rejects if the system cannot watch it. */
async function watchData(root: string): Promise<Changes> {
  const data = join(root, 'data');
  // public/ itself is watched, but not the files in it: if the folder is removed, the next build writes it again.
  const folders = [root, data, join(root, 'public')];
  const isWatched = (path: string) => folders.includes(path) || path.startsWith(join(data, '/'));
  let [changeCount, handledCount] = [0, 0];
  let isMoved = false;
  let wake = () => {};
  let watcher = await open();

  async function open(): Promise<FSWatcher> {
    // Watching the parent folder reports when `data/` is removed and created.
    const opened = watch(root, {ignored: path => !isWatched(path), ignoreInitial: true, ignorePermissionErrors: true});
    opened.on('all', (event, path) => {
      changeCount++;
      isMoved ||= event.endsWith('Dir') || path === data;
      wake();
    });
    await new Promise<void>((resolve, reject) => {
      opened.once('ready', resolve);
      opened.on('error', cause => {
        const rule = `cannot be watched: ${(cause as Error).message}`;
        reject(new InputError({code: 'FZ401', file: 'data', rule}, {cause}));
      });
    });
    return opened;
  }

  return {
    async next(patienceMs) {
      if (changeCount === handledCount)
        await new Promise<void>(resolve => {
          wake = resolve;
          if (patienceMs !== undefined) setTimeout(resolve, patienceMs);
        });
      do {
        handledCount = changeCount;
        await delay(SETTLE_MS);
      } while (changeCount > handledCount);
      if (!isMoved) return;
      // chokidar may stop reporting a folder that was removed and created again, or replaced by a file.
      isMoved = false;
      await watcher.close();
      watcher = await open();
    },
    [Symbol.asyncDispose]: () => watcher.close(),
  };
}
