import {mapAll} from '../fault.ts';
import type {OnBytes} from '../read/digest.ts';
import type {Freeze} from '../read/freezes.ts';
import type {Database} from '../rows/database.ts';
import {contentsOf, orLeftOut, type Asking, type Contents} from './contents.ts';
import type {Content, Kind, Product} from './kind.ts';
import {planSnapshots, type Moment, type Planned} from './snapshots.ts';

/** A product at one moment. */
export interface Snapshot extends Moment {
  readonly content: Content;
}

/** A product with everything that was computed for it. */
export interface Computed {
  readonly product: Product;
  readonly kind: Kind;
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
  /** Told when the database has begun to read the rows of a freeze: the time to do something else. */
  readonly onScan: () => void;
  /** Takes a check of rows that goes on when everything has been computed. */
  readonly later: (check: Promise<void>) => void;
}

/**
 * Computes every product at every moment up to the published one. Each freeze is read once, whatever the number of products
 * over it. Throws `InputError` with the faults of all products and freezes.
 */
export async function compute(inputs: Inputs, products: readonly Product[]): Promise<Computed[]> {
  const planned = await planSnapshots(inputs.root, products, inputs.kinds);
  const contents = new Map(
    await mapAll(
      askedOf(planned),
      async ([freeze, asking]) => [freeze, await contentsOf(inputs, freeze, asking)] as const,
    ),
  );
  return mapAll(planned, plan => computedOf(inputs, plan, contents));
}

/** Every freeze, with the products that read it as their only table. */
function askedOf(planned: readonly Planned[]): ReadonlyMap<Freeze, Asking[]> {
  const asked = new Map<Freeze, Asking[]>();
  for (const {product, kind, moments} of planned) {
    const published = new Set(moments.at(-1)?.freezes.values());
    for (const freeze of new Set(moments.flatMap(({freezes}) => [...freezes.values()]))) {
      const asking = asked.get(freeze) ?? [];
      if (kind.reads !== 'tables') asking.push({product, kind, published: published.has(freeze)});
      asked.set(freeze, asking);
    }
  }
  return asked;
}

async function computedOf(
  inputs: Inputs,
  {product, kind, moments}: Planned,
  contents: ReadonlyMap<Freeze, Contents>,
): Promise<Computed> {
  const history = await mapAll(moments, async moment => {
    const content = await contentAt(inputs, product, kind, moment, moment === moments.at(-1), contents);
    return content ? [{...moment, content}] : [];
  });
  const snapshot = history.flat().at(-1);
  if (!snapshot) throw new Error(`nothing was computed for ${product.name}`);
  return {product, kind, snapshot, history: history.flat()};
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
