import {setTimeout} from 'node:timers/promises';
import {refuse} from '../shared/fault.ts';
import {SIGNATURE_FILE} from '../shared/paths.ts';
import {reading} from './disk/plain-file.ts';
import {BuildCache} from './cache.ts';
import {unlistedFiles, ignoredFiles, unsigned} from './notes/notes.ts';
import type {BuildInput} from './plan.ts';
import {productFiles} from './read/listing.ts';
import type {ProductSummary, SiteFiles} from './site/site-files.ts';
import {obstacleFaults, changesOf, type Changes} from './write/changes.ts';
import {takeLock} from './write/lock.ts';
import {clearStage, stageIn, write} from './write/stage.ts';

/** The result of a build: products, notes for the publisher, and changed files. */
export interface Built {
  readonly products: readonly ProductSummary[];
  readonly notes: readonly string[];
  readonly changes: Changes;
}

/** The options of a build. */
export interface Options extends Pick<BuildInput, 'root' | 'progress'> {
  /** Only compare: write nothing, and do not use the cache. */
  readonly check?: boolean | undefined;
  /** The folder of the cache, which belongs to this version of the code. Without it every build composes everything. */
  readonly home?: string | undefined;
}

/** The coarsest supported tick of a disk's clock, in milliseconds. With a coarser one, the next build treats new files as changed. */
const TICK_MS = 12;

/**
 * Runs a build: read, compute, compose, check, write. The output depends only on `data/`, and is not touched before all checks have passed.
 * Throws `InputError` with all errors.
 */
export async function build({root, check = false, home, progress}: Options): Promise<Built> {
  const lock = check ? undefined : await reading(root, () => takeLock(root));
  try {
    const cache = home === undefined || check ? undefined : new BuildCache(home, root);
    const last = await reading(root, () => cache?.unchangedBuild(() => productFiles(root)));
    if (last) {
      const {paths: unchanged, ...site} = last;
      await reading(root, () => {
        refuse(obstacleFaults(root, unchanged, []));
      });
      return await builtOf(root, site, unchanged, {added: [], changed: [], removed: [], unchanged});
    }
    if (!check) clearStage(root);
    const output = stageIn(root, {check});
    // Loaded late, because a build in which nothing changed does not need it.
    const {plan} = await import('./plan.ts');
    const started = lock?.diskTime() ?? 0;
    const planned = await plan({root, output, cache, progress});
    const changes = await reading(root, () => changesOf(root, planned.tree, cache?.owned()));
    if (!check) write(root, planned.tree, changes);
    if (lock && cache) {
      await setTimeout(TICK_MS);
      cache.keep(planned.outcome, {started, ended: lock.diskTime()});
    }
    return await builtOf(
      root,
      planned,
      planned.tree.map(({path}) => path),
      changes,
    );
  } finally {
    if (lock) clearStage(root);
    lock?.release();
  }
}

/** Returns what a build would change, and writes nothing. Throws `InputError` if `data/` cannot be built. */
export async function pendingChanges({root, home}: Pick<Options, 'root' | 'home'>): Promise<Changes> {
  const last = await reading(root, () =>
    home === undefined ? undefined : new BuildCache(home, root).unchangedBuild(() => productFiles(root)),
  );
  if (last) return {added: [], changed: [], removed: [], unchanged: last.paths};
  return (await build({root, check: true})).changes;
}

async function builtOf(
  root: string,
  site: Pick<SiteFiles, 'products' | 'notes' | 'signing'>,
  paths: readonly string[],
  changes: Changes,
): Promise<Built> {
  const {products, notes, signing} = site;
  const found = [
    ...ignoredFiles(root),
    ...notes,
    ...unlistedFiles(root, signing ? [...paths, SIGNATURE_FILE] : paths, changes),
  ];
  return {products, notes: [...found, ...(signing ? await unsigned(root, signing) : [])], changes};
}
