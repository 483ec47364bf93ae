import type {ValidateFunction} from 'ajv';
import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {editionPath, PUBLIC} from '../../shared/paths.ts';
import {booleanWords} from '../kinds/figures/labels.ts';
import type {Json, Shape} from '../kinds/kind.ts';
import {columnTypesOf, columnFault, openRowFiles} from './row-files.ts';
import {wordsOf} from '../read/table-schema.ts';
import {paidDocument} from './documents.ts';
import {figureFaults} from './invariants.ts';
import type {Part, PartFacts, Publication, Edition} from './record.ts';
import {encode} from '../../shared/encode.ts';
import type {Fingerprint} from '../../shared/digest.ts';
import slugify from '@sindresorhus/slugify';

type ComposedEdition = Omit<Edition, keyof Fingerprint> & {readonly content: string | Uint8Array};

/** Composes and checks all paid documents of a product except the first one. Throws `InputError` if one breaks a rule. */
export async function editionsOf(
  publication: Publication,
  parts: readonly Part[],
  validate: ValidateFunction,
): Promise<ComposedEdition[]> {
  const {product, content} = publication;
  const {paidContent, shape} = content;
  if (paidContent.type !== 'rows') return [];
  const inJson = parts.map((part): ComposedEdition => {
    const document = paidDocument(publication, paidContent, part);
    const edition = {format: 'json', part: part.facts, rows: part.rows.length} as const;
    refuse(figureFaults(publication, PUBLIC + editionPath(product.name, edition), document, validate));
    return {...edition, content: encode(document)};
  });
  const formats = paidContent.formats.filter(format => format !== 'json');
  if (formats.length === 0) return inJson;
  const columns = columnTypesOf(shape);
  const rule = columnFault(Object.keys(columns));
  if (rule !== undefined)
    throw new InputError({code: 'FZ206', file: product.file, field: 'formats', value: formats.join(', '), rule});
  using rowFiles = await openRowFiles();
  const inFormats: ComposedEdition[] = [];
  for (const {rows, facts: part} of [{rows: paidContent.rows, facts: undefined}, ...parts])
    for (const format of formats)
      inFormats.push({format, part, rows: rows.length, content: await rowFiles.bytesOf(rows, columns, format)});
  return [...inJson, ...inFormats];
}

/** Bounded because each part needs a path, a rule on every host and an entry in the catalogue. */
const MOST_PARTS = 1000;

/** The most characters of a part name. A file name has at most 255 characters, with the product's name and an extension. */
const MOST_NAME_LENGTH = 100;

type Group = Pick<PartFacts, 'name' | 'holds'> & Pick<Part, 'rows'>;

/**
 * Returns the parts that a product is sold in; empty without `parts`. Every row is in exactly one part, in the order of the product.
 * Parts by a column are sorted by name. Throws `InputError` if the rows cannot be divided.
 */
export function partsOf({product: {file}, content: {paidContent, figures, shape}}: Publication): Part[] {
  if (paidContent.type !== 'rows' || !paidContent.parts) return [];
  const {by, rows} = paidContent.parts;
  const fault = (rule: string, fix?: string) => ({code: 'FZ212' as const, file, field: 'parts', value: by, rule, fix});
  const refuseIf = (isWrong: boolean, rule: string) => {
    refuse(isWrong ? [fault(rule)] : []);
  };
  const {total} = paidContent;
  refuseIf(
    'part' in figures,
    'cannot be used, because a figure is called "part", which is also the name of a member of every part',
  );
  refuseIf(rows.length < total, `would divide ${total} rows, and all parts together can have at most ${rows.length}`);
  const columns = Object.keys(shape.row?.['properties'] ?? {});
  const isUnknown = typeof by === 'string' && !columns.includes(by);
  refuseIf(isUnknown, `is not a column of the rows that are sold: ${columns.join(', ')}`);
  const groups = typeof by === 'number' ? bySize(rows, by) : byColumn(rows, by, shape, fault);
  refuseIf(
    groups.length > MOST_PARTS,
    `results in ${groups.length} parts, and a product can have at most ${MOST_PARTS}`,
  );
  const of = groups.length;
  return groups.map(({name, holds, rows}, index) => ({facts: {name, number: index + 1, of, holds}, rows}));
}

function bySize(rows: readonly Json[], size: number): Group[] {
  return Array.from({length: Math.ceil(rows.length / size)}, (_, index) => {
    const some = rows.slice(index * size, (index + 1) * size);
    const first = index * size + 1;
    return {name: String(index + 1), holds: `rows ${first} to ${first + some.length - 1}`, rows: some};
  });
}

function byColumn(
  rows: readonly Json[],
  column: string,
  shape: Shape,
  fault: (rule: string, fix?: string) => Fault,
): Group[] {
  const groups = new Map<string, Json[]>();
  for (const [index, row] of rows.entries()) {
    const value = row[column];
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      const found = value ? 'an object or a list' : 'no value';
      throw new InputError(fault(`has ${found} in row ${index + 1} of the sold rows`));
    }
    const group = groups.get(String(value)) ?? [];
    group.push(row);
    groups.set(String(value), group);
  }
  const title = wordsOf(shape.columnWords ?? {}, column).title ?? column.replaceAll('_', ' ');
  const named = [...groups].map(([value, rows]) => {
    const isBoolean = typeof rows[0]?.[column] === 'boolean';
    const holds = isBoolean ? booleanWords(column, value) : `${title} ${value}`;
    return {name: slugify(value, {decamelize: false}), value, holds, rows};
  });
  const first = new Map(named.toReversed().map(({name, value}) => [name, value]));
  refuse(
    named.flatMap(({name, value}) => {
      const [shown, other] = [value, first.get(name)].map(one => JSON.stringify(one));
      if (name === '')
        return fault(
          `has the value ${shown}, which results in an empty name`,
          'Divide by a column whose values have Latin letters or digits, such as a code.',
        );
      if (name.length > MOST_NAME_LENGTH)
        return fault(`has the value ${shown}, whose name is longer than ${MOST_NAME_LENGTH} characters`);
      return other === shown ? [] : fault(`gives ${other} and ${shown} the same name, ${name}`);
    }),
  );
  return named.sort((one, other) => (one.name < other.name ? -1 : 1));
}
