import type {ValidateFunction} from 'ajv';
import {InputError, refuse} from '../../shared/fault.ts';
import {editionPath, PUBLIC} from '../../shared/paths.ts';
import type {Json, RowGoods} from '../kinds/kind.ts';
import {columnTypesOf, columnFault, RowFiles, type RowFormat} from './row-files.ts';
import {partDocument} from './documents.ts';
import {partFaults} from './invariants.ts';
import {factsOf, type Part, type PartFacts} from './parts.ts';
import type {Publication, Edition} from './record.ts';
import {encode} from '../../shared/encode.ts';
import type {Fingerprint} from './seal.ts';

/** An edition before it is staged. */
type Composed = Omit<Edition, keyof Fingerprint> & {readonly content: string | Uint8Array};

/**
 * Composes the paid documents of a product beside the first one, and checks them. Throws `InputError` where rows cannot be written in
 * a format, or a document breaks a rule.
 *
 * @param validate the schema of the paid document
 */
export async function editionsOf(
  publication: Publication,
  parts: readonly Part[],
  validate: ValidateFunction,
): Promise<Composed[]> {
  const {goods} = publication.content;
  if (goods.type !== 'rows') return [];
  const formats = goods.formats.filter(format => format !== 'json');
  const inJson = parts.map(part => jsonPart(publication, goods, part, validate));
  if (formats.length === 0) return inJson;
  const files = [{rows: goods.rows, part: undefined}, ...parts.map(part => ({rows: part.rows, part: factsOf(part)}))];
  return [...inJson, ...(await inFormats(publication, files, formats))];
}

function jsonPart(publication: Publication, goods: RowGoods, part: Part, validate: ValidateFunction): Composed {
  const document = partDocument(publication, goods, part);
  const composed = {format: 'json', part: factsOf(part), rows: part.rows.length, content: encode(document)} as const;
  refuse(partFaults(publication, PUBLIC + editionPath(publication.product.name, composed), document, validate));
  return composed;
}

/** The rows of the first paid document and of every part in these formats. */
async function inFormats(
  {product: {file}, content: {shape}}: Publication,
  files: readonly {readonly rows: readonly Json[]; readonly part: PartFacts | undefined}[],
  formats: readonly RowFormat[],
): Promise<Composed[]> {
  const columns = columnTypesOf(shape);
  const rule = columnFault(Object.keys(columns));
  if (rule !== undefined) throw new InputError({file, field: 'formats', value: formats.join(', '), rule});
  using rowFiles = await RowFiles.open();
  const composed: Composed[] = [];
  for (const {rows, part} of files)
    for (const format of formats)
      composed.push({format, part, rows: rows.length, content: await rowFiles.bytesOf(rows, columns, format)});
  return composed;
}
