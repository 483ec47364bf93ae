import {InputError, mapAll} from '../../shared/fault.ts';
import {readEvents} from '../read/events.ts';
import type {Freeze} from '../read/freezes.ts';
import {checkFrozen} from '../read/stamps.ts';
import {scan} from '../rows/scan.ts';
import {Table} from '../rows/table.ts';
import type {Inputs} from './compute.ts';
import type {Content, EventsKind, Kind, Product, RowsKind} from '../kinds/kind.ts';

/** What the products over a freeze are made of. */
export type Contents = Map<Product, Content>;

export interface Asking<K extends Kind = Kind> {
  readonly product: Product;
  readonly kind: K;
  /** Whether this freeze is the one that the product publishes. */
  readonly published: boolean;
}

/** Reads a freeze once: its digest is checked beside its rows, and the faults of both are told. */
export async function contentsOf(inputs: Inputs, freeze: Freeze, asking: readonly Asking[]): Promise<Contents> {
  const [events, rows] = [asking.filter(isEvents), asking.filter(isRows)];
  const digested = checkFrozen(inputs.root, freeze, inputs.onFreeze(freeze));
  const quoted = digested.then(
    seen => seen.quoted,
    () => true,
  );
  // A changed byte is told before what it has done to rows.
  const results = await Promise.allSettled([
    digested.then(() => noContents),
    events.length > 0 ? Promise.resolve().then(() => fromEvents(inputs, freeze, events)) : noContents,
    // Rows are checked even where no product asks for a figure of this scan: queries read them too.
    rows.length > 0 || events.length === 0 ? fromRows(inputs, freeze, rows, quoted) : noContents,
  ]);
  const contents = await mapAll(results, result => {
    if (result.status === 'rejected') throw result.reason;
    return [...result.value];
  });
  return new Map(contents.flat());
}

const noContents: Contents = new Map();

function isRows(asking: Asking): asking is Asking<RowsKind> {
  return asking.kind.reads === 'rows';
}

function isEvents(asking: Asking): asking is Asking<EventsKind> {
  return asking.kind.reads === 'events';
}

function fromEvents({root}: Inputs, freeze: Freeze, asking: readonly Asking<EventsKind>[]): Contents {
  const events = readEvents(root, freeze);
  return new Map(asking.map(({product, kind}) => [product, kind.answer(product, freeze, events)]));
}

async function fromRows(
  inputs: Inputs,
  freeze: Freeze,
  asking: readonly Asking<RowsKind>[],
  quoted: Promise<boolean>,
): Promise<Contents> {
  const table = new Table(freeze);
  const inquiries = await mapAll(asking, async ({product, kind, published}) => {
    const inquiry = await orLeftOut(published, () => kind.ask(product, freeze, table));
    return inquiry ? [{product, inquiry}] : [];
  });
  const all = inquiries.flat().map(({inquiry}) => inquiry);
  const read = await scan(await inputs.database(), inputs.root, table, all, quoted);
  return new Map(inquiries.flat().map(({product, inquiry}) => [product, inquiry.answer(read)]));
}

/**
 * What is asked of a published snapshot must be answered. An earlier freeze that cannot answer, because it lacks a column or a class
 * that came later, is left out of the history: it can never be edited.
 */
export async function orLeftOut<T>(published: boolean, ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (published || !(error instanceof InputError)) throw error;
    return undefined;
  }
}
