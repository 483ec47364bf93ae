import slugify from '@sindresorhus/slugify';
import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import type {ListedEdition} from '../../shared/shapes.ts';
import type {Json} from '../kinds/kind.ts';
import type {Publication} from './record.ts';

/** The member `part` of the catalogue: name, number, how many there are, and which rows it holds. */
export type PartFacts = NonNullable<ListedEdition['part']>;

/** A part of the rows of a product. */
export interface Part extends PartFacts {
  readonly rows: readonly Json[];
}

/** Each part is a path of its own, a rule of every host and a line of the catalogue. */
const MOST_PARTS = 1000;

/** Of a path's last segment, which is a file name of at most 255 characters with the name of the product and an ending. */
const MOST_NAME_LENGTH = 100;

type Group = Pick<Part, 'name' | 'holds' | 'rows'>;

/**
 * The parts that a product is sold in, none where it has no `parts`: every row stands in exactly one of them, in the order of the product.
 * Parts by a column come in the order of their names. Throws `InputError` where the rows cannot be divided so.
 */
export function partsOf({product: {file}, content: {goods, figures, shape}}: Publication): Part[] {
  if (goods.type !== 'rows' || !goods.parts) return [];
  const {by, rows} = goods.parts;
  const fault = (rule: string) => ({file, field: 'parts', value: by, rule});
  if ('part' in figures) throw new InputError(fault('needs the member "part", and a figure is called so'));
  if (rows.length < goods.total)
    throw new InputError(fault(`would divide ${goods.total} rows, and parts hold ${rows.length} together at most`));
  const columns = Object.keys(shape.row?.['properties'] ?? {});
  if (typeof by === 'string' && !columns.includes(by))
    throw new InputError(fault(`is not a column of the rows that are sold: ${columns.join(', ')}`));
  const groups = typeof by === 'number' ? bySize(rows, by) : byColumn(rows, by, fault);
  if (groups.length > MOST_PARTS)
    throw new InputError(fault(`gives ${groups.length} parts, and a product has ${MOST_PARTS} at most`));
  return groups.map(({name, holds, rows}, index) => ({name, number: index + 1, of: groups.length, holds, rows}));
}

/** A part without its rows. */
export function factsOf({name, number, of, holds}: Part): PartFacts {
  return {name, number, of, holds};
}

function bySize(rows: readonly Json[], size: number): Group[] {
  return Array.from({length: Math.ceil(rows.length / size)}, (_, index) => {
    const some = rows.slice(index * size, (index + 1) * size);
    const first = index * size + 1;
    return {name: String(index + 1), holds: `rows ${first} to ${first + some.length - 1}`, rows: some};
  });
}

function byColumn(rows: readonly Json[], column: string, fault: (rule: string) => Fault): Group[] {
  const groups = new Map<string, Json[]>();
  for (const [index, row] of rows.entries()) {
    const value = row[column];
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new InputError(fault(`has no text, number or truth value in row ${index + 1} of those that are sold`));
    const group = groups.get(String(value)) ?? [];
    group.push(row);
    groups.set(String(value), group);
  }
  const named = [...groups].map(([value, rows]) => ({name: slugify(value), value, holds: `${column} ${value}`, rows}));
  refuse(named.flatMap(({name, value}) => nameFaults(name, value).map(fault)));
  const first = new Map(named.toReversed().map(({name, value}) => [name, value]));
  const doubled = named.filter(({name, value}) => first.get(name) !== value);
  refuse(
    doubled.map(({name, value}) => fault(`gives ${quoted(first.get(name))} and ${quoted(value)} the one name ${name}`)),
  );
  return named
    .map(({name, holds, rows}) => ({name, holds, rows}))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function nameFaults(name: string, value: string): string[] {
  if (name === '') return [`has the value ${quoted(value)}, which gives an empty name: use letters or digits`];
  if (name.length <= MOST_NAME_LENGTH) return [];
  return [`has the value ${quoted(value)}, whose name is longer than ${MOST_NAME_LENGTH} characters`];
}

function quoted(value: unknown): string {
  return JSON.stringify(value);
}
