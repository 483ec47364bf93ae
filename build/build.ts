import {setTimeout} from 'node:timers/promises';
import {refuse} from '../shared/fault.ts';
import {SIGNATURE_FILE} from '../shared/paths.ts';
import {reading} from './disk/system-fault.ts';
import {Memory} from './memory.ts';
import {strays, unread, unsigned} from './notes/notes.ts';
import type {Source} from './plan.ts';
import {productFiles} from './read/listing.ts';
import type {ProductSummary, SiteFiles} from './site/site-files.ts';
import {obstacleFaults, changesOf, type Changes} from './write/changes.ts';
import {Lock} from './write/lock.ts';
import {clearStage, Stage, write} from './write/stage.ts';

/** What a build found and did. */
export interface Built {
  readonly products: readonly ProductSummary[];
  readonly notes: readonly string[];
  readonly changes: Changes;
}

/** How a build is run. */
export interface Options extends Pick<Source, 'root' | 'progress'> {
  /** Only compare; write nothing, and believe nothing that is remembered. */
  readonly check?: boolean | undefined;
  /** The folder where this code, and no other, remembers builds; without it every build composes everything. */
  readonly home?: string | undefined;
}

/** A disk's clock may tick as slowly as this, in milliseconds; slower ones make the next build read what was written last. */
const TICK_MS = 12;

/**
 * The whole generator: read, compute, compose, check, write. A pure function of `data/`; no output is touched before everything is
 * checked. Throws `InputError` with everything that is wrong.
 */
export async function build({root, check = false, home, progress}: Options): Promise<Built> {
  const lock = check ? undefined : await reading(root, () => Lock.take(root));
  try {
    const memory = home === undefined || check ? undefined : new Memory(home, root);
    const standing = await reading(root, () => memory?.standing(() => productFiles(root)));
    if (standing) return await untouched(root, standing);
    if (!check) clearStage(root);
    const output = new Stage(root, {check});
    // Loaded here so that a build in which nothing changed does not wait for it.
    const {plan} = await import('./plan.ts');
    const moment = lock?.moment();
    const planned = await plan({root, output, memory, moment, progress});
    const changes = await reading(root, () => changesOf(root, planned.tree, memory?.owned()));
    if (!check) write(root, planned.tree, changes);
    if (lock && memory) {
      await setTimeout(TICK_MS);
      memory.keep(planned.outcome, lock.moment());
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

/**
 * What a build would change; writes nothing. If `home` remembers a build and no file has changed since, composes nothing.
 * Throws `InputError` if `data/` cannot be built.
 */
export async function pendingChanges({root, home}: Pick<Options, 'root' | 'home'>): Promise<Changes> {
  const standing = await reading(root, () =>
    home === undefined ? undefined : new Memory(home, root).standing(() => productFiles(root)),
  );
  if (standing) return {added: [], changed: [], removed: [], unchanged: standing.paths};
  return (await build({root, check: true})).changes;
}

/** The result of a build in which nothing changed. Throws `InputError` where a folder of the output leads out of the root. */
async function untouched(root: string, {paths, ...site}: NonNullable<ReturnType<Memory['standing']>>): Promise<Built> {
  await reading(root, () => {
    refuse(obstacleFaults(root, paths, []));
  });
  return builtOf(root, site, paths, {added: [], changed: [], removed: [], unchanged: paths});
}

async function builtOf(
  root: string,
  site: Pick<SiteFiles, 'products' | 'notes' | 'signing'>,
  paths: readonly string[],
  changes: Changes,
): Promise<Built> {
  const {products, notes, signing} = site;
  const found = [...unread(root), ...notes, ...strays(root, signing ? [...paths, SIGNATURE_FILE] : paths, changes)];
  return {products, notes: [...found, ...(signing ? await unsigned(root, signing) : [])], changes};
}
