import {InputError} from '../../shared/fault.ts';
import type {Kind, Product, TableRef} from '../kinds/kind.ts';
import type {Freeze} from '../read/freezes.ts';

/** The frozen tables of a product at one moment. */
export interface Moment {
  readonly as_of: string;
  /** The freeze of each table, by the table's name; the first is the main one. */
  readonly freezes: ReadonlyMap<string, Freeze>;
}

/** Freezes by source, oldest first. */
export type Freezes = ReadonlyMap<string, readonly Freeze[]>;

/** The tables that a product reads, the main one first. */
export function tablesOf(product: Product, kind: Kind): readonly TableRef[] {
  return kind.tables?.(product) ?? [{name: 'rows', source: product.source ?? '', before: false}];
}

/**
 * The moments that a product has a snapshot at, oldest first; the last is published. There is one for every `as_of` of every source, with
 * each table's latest freeze then; moments that lack a table are left out. Throws `InputError` where the published one lacks a table.
 */
export function momentsOf(product: Product, tables: readonly TableRef[], freezes: Freezes): Moment[] {
  const until = lastMoment(product, tables, freezes);
  const dates = tables.flatMap(({source}) => freezes.get(source) ?? []).map(({as_of}) => as_of);
  const moments = [...new Set(dates)]
    .sort()
    .filter(as_of => as_of <= until)
    .map(as_of => momentAt(as_of, tables, freezes));
  const complete = moments.filter(({freezes: found}) => found.size === tables.length);
  if (complete.at(-1)?.as_of === until) return complete;
  const missing = tables.find(({name}) => !moments.at(-1)?.freezes.has(name));
  const wanted = missing?.before ? 'two freezes' : 'a freeze';
  const rule = `needs ${wanted} of ${missing?.source ?? ''} up to ${until}`;
  throw new InputError({file: product.file, field: 'table', value: missing?.name, rule});
}

function momentAt(as_of: string, tables: readonly TableRef[], freezes: Freezes): Moment {
  const found = tables.flatMap(({name, source, before}) => {
    const freeze = (freezes.get(source) ?? []).filter(candidate => candidate.as_of <= as_of).at(before ? -2 : -1);
    return freeze ? [[name, freeze] as const] : [];
  });
  return {as_of, freezes: new Map(found)};
}

/** The `as_of` of the freeze of the main table that a product pins, else of the latest of all its tables. */
function lastMoment({file, freeze}: Product, tables: readonly TableRef[], freezes: Freezes): string {
  const latest = tables.flatMap(({source}) => freezes.get(source)?.at(-1)?.as_of ?? []).sort();
  if (freeze === undefined) return latest.at(-1) ?? '';
  const source = tables[0]?.source ?? '';
  const main = freezes.get(source) ?? [];
  const pinned = main.find(({date}) => date === freeze);
  if (pinned) return pinned.as_of;
  const dates = main.map(({date}) => date).join(', ');
  throw new InputError({file, field: 'freeze', value: freeze, rule: `is not a freeze of ${source}: ${dates}`});
}
