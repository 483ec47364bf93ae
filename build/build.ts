import type {Kept} from './cache/kept.ts';
import type {Made} from './documents/documents.ts';
import type {Tree} from './compose/tree.ts';
import type {Computed} from './compute/compute.ts';
import type {Json} from './kinds/kind.ts';
import {plannedFreezes} from './products/moments.ts';
import {plan, type Planned, type Source} from './plan.ts';
import type {Digested} from './read/digest.ts';
import type {Freeze} from './read/freezes.ts';
import {reading} from './disk/system-fault.ts';
import {changesOf, type Changes} from './write/changes.ts';
import {Lock} from './write/lock.ts';
import {Stage} from './write/stage.ts';
import {write} from './write/write.ts';

/** What a build found and did. */
export interface Built {
  readonly products: readonly Told[];
  readonly notes: readonly string[];
  readonly changes: Changes;
  /** The freezes that were read. */
  readonly freezes: readonly Digested[];
  /** SHA-256 of what stands now, by path from the root. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** The same of a build that was not recalled. */
export interface Fresh extends Built {
  readonly made: Made;
}

/** What is told of a product. */
export interface Told {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly price: string;
  readonly as_of: string;
  readonly figures: Json;
  readonly finding: string;
}

/** How a build is run. */
export interface Options extends Omit<Source, 'kept'> {
  /** Only compare; write nothing. */
  readonly check: boolean;
  /** Asked once no other build is at work: what another has done until then is to be seen. */
  readonly kept?: (() => Kept | undefined) | undefined;
}

/**
 * The whole generator: read, compute, compose, check, write. A pure function of `data/`; no output is touched before everything is
 * checked. Throws `InputError` with everything that is wrong.
 */
export async function build({check, kept: keptOf, ...source}: Options): Promise<Fresh> {
  const {root} = source;
  const lock = check ? undefined : await reading(root, () => Lock.take(root));
  const stage = new Stage(root, {check});
  try {
    const kept = keptOf?.();
    const planned = await plan({...source, kept, onFile: stage.take, onKept: stage.keep});
    const changes = await reading(root, async () => changesOf(root, planned.tree, stage, await kept?.owned()));
    if (!check) write(root, planned.tree, changes);
    return builtOf(planned, changes);
  } finally {
    await stage.clear();
    lock?.release();
  }
}

function builtOf({made, tree, notes}: Planned, changes: Changes): Fresh {
  const products = made.products.map(({computed}) => computed);
  const freezes = new Set(products.flatMap(product => [...plannedFreezes(product)]));
  return {
    products: products.map(told),
    notes,
    changes,
    freezes: [...freezes].map(digested),
    outputs: digestsOf(tree),
    made,
  };
}

function told({product, snapshot}: Computed): Told {
  const {name, title, kind, price} = product;
  const {figures, finding} = snapshot.content;
  return {name, title, kind, price, as_of: snapshot.as_of, figures, finding};
}

function digested({source, date, folder, descriptor, files, bytes, sha256}: Freeze): Digested {
  return {source, date, folder, descriptor, files, bytes, sha256};
}

function digestsOf({files}: Tree): Record<string, string> {
  return Object.fromEntries([...files].map(([path, {sha256}]) => [path, sha256]));
}
