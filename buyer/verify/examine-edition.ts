import {isDeepStrictEqual} from 'node:util';
import {RowFiles, type RowFormat} from '../../build/documents/row-files.ts';
import type {Json, Kind} from '../../build/kinds/kind.ts';
import type {Entry} from '../../shared/shapes.ts';
import type {PaidDocument} from './catalogue.ts';
import {failed, passed, unchecked, verdict, type Check} from './check.ts';
import {examineDocument} from './examine-document.ts';
import {readObject} from './untrusted-json.ts';

/** A part or format of a paid document, and what it is checked against. */
export interface EditionExam {
  readonly entry: Entry;
  readonly document: PaidDocument;
  readonly bytes: Uint8Array;
  /** The JSON Schema and the sample of the product, if they were readable. */
  readonly schema: Uint8Array | undefined;
  readonly sample: Uint8Array | undefined;
  /** For another format, the JSON document with the same rows. */
  readonly json: Uint8Array | undefined;
}

/** Checks an edition by itself and against catalogue and sample. Other formats are compared with the rows in JSON. */
export async function examineEdition(exam: EditionExam, kinds: ReadonlyMap<string, Kind>): Promise<Check[]> {
  const {entry, document, bytes} = exam;
  const {path: subject} = document;
  const format = document.edition?.format ?? 'json';
  if (format !== 'json') return [await rowsCheck(exam, format)];
  const value = readObject(subject, bytes);
  const schema = exam.schema && readObject('the schema', exam.schema);
  const sample = exam.sample && readObject('the sample', exam.sample);
  return [
    ...examineDocument({subject, value, kind: kinds.get(entry.kind), schema}),
    ...verdict('agreement', subject, faultsOf(entry, document, value, sample), 'agrees with catalogue and sample'),
  ];
}

function faultsOf({name, title}: Entry, {edition}: PaidDocument, value: Json, sample: Json = {}): string[] {
  const {rows, part} = value;
  const count = Array.isArray(rows) ? rows.length : 'no';
  const differing = Object.keys(value).filter(
    member => member !== 'title' && member in sample && !isDeepStrictEqual(sample[member], value[member]),
  );
  return [
    ...(value['name'] === name && value['title'] === title ? [] : ['has another name or title']),
    ...(isDeepStrictEqual(part, edition?.part) ? [] : ['part differs from the catalogue']),
    ...(count === edition?.rows ? [] : [`has ${count} rows, but the catalogue lists ${edition?.rows ?? 'no number'}`]),
    ...differing.map(member => `${member} of sample and paid document differ`),
  ];
}

/** Compares a file with one that is written from the rows of the JSON document. The untrusted file itself is never parsed. */
async function rowsCheck({entry: {columns}, document, bytes, json}: EditionExam, format: RowFormat): Promise<Check> {
  const {path: subject} = document;
  if (!json) return unchecked('rows', subject, 'the JSON document with its rows cannot be read');
  const {rows} = readObject('the JSON document', json) as {rows?: readonly Json[]};
  if (!Array.isArray(rows)) return failed('rows', subject, 'the JSON document has no rows');
  if (!columns) return failed('rows', subject, 'the catalogue lists no columns');
  const types = Object.fromEntries(columns.map(({name, type}) => [name, type]));
  using rowFiles = await RowFiles.open();
  const own = Buffer.from(await rowFiles.bytesOf(rows as readonly Json[], types, format));
  if (own.equals(bytes)) return passed('rows', subject, 'contains the rows of the JSON document, byte for byte');
  const isOfAnother = format === 'parquet' && writerOf(own) !== writerOf(bytes);
  if (isOfAnother)
    return unchecked('rows', subject, `it was written by another version of DuckDB than ${writerOf(own)}`);
  return failed('rows', subject, 'does not contain the rows of the JSON document');
}

/** Returns the program that wrote a Parquet file, from the end of the file. */
function writerOf(bytes: Uint8Array): string {
  return /DuckDB version \S+ \(build \w+\)/.exec(Buffer.from(bytes.subarray(-4096)).toString('latin1'))?.[0] ?? 'none';
}
