import type {Fault} from '../../shared/fault.ts';
import {quoted} from '../../shared/command-line.ts';
import type {Format} from '../../build/read/data-package.ts';
import type {TableSchema} from '../../build/read/table-schema.ts';

/**
 * Returns one error for each column that is new, missing or renamed compared with the schema of the last freeze, and for the first one that
 * has moved, with the option that accepts it. Only CSV has an order of columns. In JSON, a column may be missing if it is not required.
 */
export function columnFaults(
  place: Pick<Fault, 'file' | 'line'>,
  format: Format,
  names: readonly string[],
  {fields, primaryKey}: TableSchema,
): Fault[] {
  // The check of the rows reports repeated columns, and a list without any of the columns, whose header is probably missing.
  if (new Set(names).size < names.length || !fields.some(({name}) => names.includes(name))) return [];
  const fault = {code: 'FZ115', ...place, field: 'column'} as const;
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
  // One remedy for all new columns, to be printed once.
  const additions = added.map(name => `--add-column ${quoted(name)}`).join(' ');
  const missing = gone.filter(name => !mayLack(name) && !recased.some(({before}) => before === name));
  const shared = kept.filter(name => names.includes(name));
  const present = names.filter(name => kept.includes(name));
  const moved = format === 'csv' ? present.filter((name, index) => name !== shared[index]).slice(0, 1) : [];
  // Only a new schema accepts the other changes, and it accepts new columns too.
  const isOther = [...recased, ...missing, ...moved].length > 0;
  const add = isOther ? 'Remove it, or accept all changes with `--new-schema`.' : `Remove it, or add \`${additions}\`.`;
  const rename = 'Restore the name, or accept the new one with `--new-schema`.';
  const restore = 'Restore the column, or make a schema without it with `--new-schema`.';
  const reorder = `Restore the order ${kept.join(', ')}, or accept the new one with \`--new-schema\`.`;
  return [
    ...recased.map(({name: value, before}) => ({...fault, value, rule: `was ${JSON.stringify(before)}`, fix: rename})),
    ...added.map(value => ({...fault, value, rule: 'is new', fix: add})),
    ...missing.map(value => ({...fault, value, rule: 'is missing', fix: restore})),
    ...moved.map(value => ({...fault, value, rule: 'has moved', fix: reorder})),
  ];
}
