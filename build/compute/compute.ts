import {setImmediate} from 'node:timers/promises';
import {mapAll, refuse} from '../../shared/fault.ts';
import type {OnBytes} from '../read/digest.ts';
import {changeFaults} from '../read/stamps.ts';
import type {Freeze} from '../read/freezes.ts';
import type {Database} from '../rows/database.ts';
import {contentsOf, orLeftOut, type Asking, type Contents} from './contents.ts';
import type {Content, Kind, Product} from '../kinds/kind.ts';
import {knownOf, type Recall} from './known.ts';
import {plannedFreezes, planSnapshots, type Moment, type PlannedProduct} from '../products/moments.ts';

/** A product at one moment. */
export interface Snapshot extends Moment {
  readonly content: Content;
}

/** A product with everything that was computed for it. */
export interface Computed {
  readonly product: Product;
  readonly kind: Kind;
  /** The moments that it was asked for at, oldest first. */
  readonly moments: readonly Moment[];
  /** The snapshot that is published. */
  readonly snapshot: Snapshot;
  /** Every snapshot up to the published one, oldest first. */
  readonly history: readonly Snapshot[];
}

/** What computing needs from outside. */
export interface Inputs {
  readonly root: string;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Opens the database at the first freeze of rows. */
  readonly database: () => Promise<Database>;
  /** Told of every freeze before it is read; returns what to tell of bytes read. */
  readonly onFreeze: (freeze: Freeze) => OnBytes;
}

/**
 * Computes every product at every moment up to the published one, and has it taken as soon as its freezes have been read: what is made of
 * it is returned, in the order of the products, with what was recalled among it. Each freeze is read once, whatever the number of
 * products over it. Throws `InputError` with the faults of all products and freezes.
 */
export async function compute<T>(
  inputs: Inputs,
  products: readonly Product[],
  take: (computed: Computed) => T,
  recall: Recall<T>,
): Promise<{readonly made: T[]; readonly recalled: T[]}> {
  const planned = await planSnapshots(inputs.root, products, inputs.kinds);
  const contents = new Map<Freeze, Contents>();
  const known = await knownOf(inputs, planned, recall);
  const taken = new Map(known);
  await readAhead(
    [...plansOver(planned.filter(plan => !known.has(plan)))],
    ([freeze, plans]) => contentsOf(inputs, freeze, askingOf(freeze, plans)),
    async ([freeze, plans], read) => {
      contents.set(freeze, read);
      const complete = plans.filter(plan => [...plannedFreezes(plan)].every(one => contents.has(one)));
      await mapAll(complete, async plan => {
        taken.set(plan, take(await computedOf(inputs, plan, contents)));
        for (const one of plannedFreezes(plan)) contents.get(one)?.delete(plan.product);
        // What is being read goes on.
        await setImmediate();
      });
    },
  );
  refuse([...contents.keys()].flatMap(freeze => changeFaults(inputs.root, freeze)));
  return {made: planned.flatMap(plan => taken.get(plan) ?? []), recalled: [...known.values()]};
}

/** Reads every item and uses what was read, in order; the next is read while one is used. Throws one `InputError` with all faults. */
async function readAhead<T, R>(
  items: readonly T[],
  read: (item: T) => Promise<R>,
  use: (item: T, read: R) => Promise<void>,
): Promise<void> {
  let ahead: Promise<R> | undefined;
  const start = (item: T) => {
    const reading = read(item);
    // Whether it failed is asked when it is used.
    reading.catch(() => undefined);
    return reading;
  };
  try {
    await mapAll(items.entries(), async ([index, item]) => {
      const [result] = await Promise.allSettled([ahead ?? start(item)]);
      const next = items[index + 1];
      ahead = next && start(next);
      if (result.status === 'rejected') throw result.reason;
      await use(item, result.value);
    });
  } finally {
    await ahead?.catch(() => undefined);
  }
}

/** Every freeze, with the products that read it. */
function plansOver(planned: readonly PlannedProduct[]): ReadonlyMap<Freeze, PlannedProduct[]> {
  const plans = new Map<Freeze, PlannedProduct[]>();
  for (const plan of planned) {
    for (const freeze of plannedFreezes(plan)) {
      const over = plans.get(freeze) ?? [];
      over.push(plan);
      plans.set(freeze, over);
    }
  }
  return plans;
}

/** The products that read a freeze as their only table. */
function askingOf(freeze: Freeze, plans: readonly PlannedProduct[]): Asking[] {
  return plans.flatMap(({product, kind, moments}) => {
    const published = [...(moments.at(-1)?.freezes.values() ?? [])].includes(freeze);
    return kind.reads === 'tables' ? [] : [{product, kind, published}];
  });
}

async function computedOf(
  inputs: Inputs,
  {product, kind, moments}: PlannedProduct,
  contents: ReadonlyMap<Freeze, Contents>,
): Promise<Computed> {
  const history = await mapAll(moments, async moment => {
    const content = await contentAt(inputs, product, kind, moment, moment === moments.at(-1), contents);
    return content ? [{...moment, content}] : [];
  });
  const snapshot = history.flat().at(-1);
  if (!snapshot) throw new Error(`nothing was computed for ${product.name}`);
  return {product, kind, moments, snapshot, history: history.flat()};
}

/** The content of a product at a moment; none where an earlier moment cannot answer. */
async function contentAt(
  {root}: Inputs,
  product: Product,
  kind: Kind,
  {freezes}: Moment,
  published: boolean,
  contents: ReadonlyMap<Freeze, Contents>,
): Promise<Content | undefined> {
  if (kind.reads === 'tables') return orLeftOut(published, () => kind.answer(product, freezes, root));
  const [freeze] = freezes.values();
  return freeze && contents.get(freeze)?.get(product);
}
