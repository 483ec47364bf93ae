import type {Fault} from '../../shared/fault.ts';
import {quoted} from '../../shared/command-line.ts';
import type {Format} from '../../build/read/data-package.ts';
import type {TableSchema} from '../../build/read/table-schema.ts';

/**
 * Returns one error for each column that is new, missing or moved compared with the schema of the last freeze, with the option that accepts
 * it. Only CSV has an order of columns. In JSON, a column may be missing if it is not required.
 */
export function columnFaults(
  place: Pick<Fault, 'file' | 'line'>,
  format: Format,
  names: readonly string[],
  {fields, primaryKey}: TableSchema,
): Fault[] {
  // The check of the rows reports repeated columns, and a list without any of the columns, which probably has no header.
  if (new Set(names).size < names.length || !fields.some(({name}) => names.includes(name))) return [];
  const fault = (value: string, rule: string): Fault => ({code: 'FZ115', ...place, field: 'column', value, rule});
  const kept = fields.map(({name}) => name);
  const key = [primaryKey ?? []].flat();
  const isJson = format === 'json' || format === 'ndjson';
  const mayLack = (name: string) =>
    isJson && !key.includes(name) && fields.find(field => field.name === name)?.constraints?.required !== true;
  const gone = kept.filter(name => !names.includes(name));
  const recased = names.flatMap(name => {
    const before = gone.find(one => !kept.includes(name) && one.toLowerCase() === name.toLowerCase());
    return before === undefined ? [] : [{name, before}];
  });
  const added = names.filter(name => !kept.includes(name) && !recased.some(one => one.name === name));
  const missing = gone.filter(name => !mayLack(name) && !recased.some(({before}) => before === name));
  const shared = kept.filter(name => names.includes(name));
  return [
    ...recased.map(({name, before}) =>
      fault(name, `was ${JSON.stringify(before)}: restore that, or --new-schema accepts the new name`),
    ),
    ...added.map(name => fault(name, `is new: --add-column ${quoted(name)} adds it`)),
    ...missing.map(name => fault(name, 'is missing: --new-schema makes a schema without it')),
    ...(format === 'csv' ? movedAmong(names, shared) : []).map(name =>
      fault(name, `has moved: restore the order ${kept.join(', ')}, or --new-schema accepts the new one`),
    ),
  ];
}

/** Returns the smallest set of columns that must move to turn one order into the other. */
function movedAmong(names: readonly string[], order: readonly string[]): string[] {
  const present = names.filter(name => order.includes(name));
  const places = present.map(name => order.indexOf(name));
  // Longest increasing subsequence: for each column the length of the best run that ends there, and the column before it.
  const best: {length: number; before: number}[] = [];
  for (const [index, place] of places.entries()) {
    let [length, before] = [1, -1];
    for (let i = 0; i < index; i++) {
      const other = best[i]?.length ?? 0;
      if ((places[i] ?? 0) < place && other >= length) [length, before] = [other + 1, i];
    }
    best.push({length, before});
  }
  const stayed = new Set<number>();
  let at = best.findIndex(({length}) => length === Math.max(...best.map(one => one.length)));
  while (at >= 0) {
    stayed.add(at);
    at = best[at]?.before ?? -1;
  }
  return present.filter((_, index) => !stayed.has(index));
}
