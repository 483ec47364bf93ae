import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {claims, rowFaults, textFaults, NO_FETCH} from '../../build/documents/invariants.ts';
import {NEVER_LISTED, type Json, type Kind} from '../../build/kinds/kind.ts';
import {violationsOf} from '../../build/read/validator.ts';
import {digestOf} from '../../shared/digest.ts';
import {failed, judged, passed, unchecked, verdict, type Check} from './check.ts';
import {isDeepStrictEqual} from 'node:util';
import {openRowFiles, type RowFormat} from '../../build/documents/row-files.ts';
import type {Entry} from '../../shared/shapes.ts';
import type {PaidDocument} from './catalogue.ts';
import {readObject} from './untrusted-json.ts';

/** A sample or paid document, and what it is checked against. */
interface Document {
  readonly subject: string;
  readonly value: Json;
  readonly kind: Kind | undefined;
  /** Undefined if none was given or found. */
  readonly schema: Json | undefined;
  /** The number of its rows, if a catalogue lists it. */
  readonly rows?: number | undefined;
}

/** Returns all checks of a document that need no other documents. */
export function examineDocument({subject, value, kind, schema, rows}: Document): Check[] {
  const judge = (what: string, find: () => readonly string[], fine: string) => judged(what, subject, find, fine);
  const hasText = value['reason'] !== undefined || value['note'] !== undefined;
  return [
    ...(schema
      ? judge('schema', () => schemaFaults(schema, value), 'matches its JSON Schema')
      : [unchecked('schema', subject, 'its schema is not known')]),
    ...figureChecks(subject, value, kind, rowCountFaults(value, rows)),
    ...('sha256' in value
      ? judge('digest', () => digestFaults(value), 'sha256 is the digest of its RFC 8785 form')
      : []),
    ...judge('claims', () => claims(value), 'does not claim a listing or a settlement'),
    ...(hasText
      ? judge('texts', () => statementFaults(value, kind), 'reason and note contain the required statements')
      : []),
  ];
}

function figureChecks(subject: string, value: Json, kind: Kind | undefined, counted: readonly string[]): Check[] {
  if (!kind) {
    const why = 'they are computed from rows that are not in this document, or its kind is unknown';
    return [...counted.map(fault => failed('figures', subject, fault)), unchecked('figures', subject, why)];
  }
  const [what, fine] =
    kind.reads === 'events'
      ? ['signatures', 'every event has its signature']
      : ['figures', 'figures agree with one another'];
  return judged(what, subject, () => [...disagreementsIn(kind, value), ...rowFaults(value), ...counted], fine);
}

/** Compares the number of rows with the catalogue, which announces it before the purchase. */
function rowCountFaults({rows}: Json, listed: number | undefined): string[] {
  const count = Array.isArray(rows) ? rows.length : 'no';
  return listed === undefined || count === listed ? [] : [`has ${count} rows, but the catalogue lists ${listed}`];
}

/** Returns the errors of a kind's own checks. They expect a document of the right shape, which an untrusted schema does not guarantee. */
export function disagreementsIn(kind: Kind, value: Json): string[] {
  try {
    return kind.disagreements(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return [`does not have the structure of a document of the kind ${kind.name}`];
  }
}

function statementFaults(value: Json, kind: Kind | undefined): string[] {
  const own = [...(kind?.statements ?? []), ...('listed' in value || 'sit' in value ? [NEVER_LISTED] : [])];
  return textFaults(value, {reason: own, note: [NO_FETCH, String(value['as_of']), ...own]});
}

/** Returns the first violation of a schema. Also reports a schema that cannot be compiled or evaluated. */
export function schemaFaults(schema: Json, value: unknown): string[] {
  try {
    const validate = compiled(schema);
    // An asynchronous validator returns a promise, which always counts as true.
    if ('$async' in validate) return [`${NO_SCHEMA}: it is asynchronous`];
    if (validate(value)) return [];
    return violationsOf(validate).map(({path, rule}) => `${path.join('.') || 'the document'} ${rule}`);
  } catch (error) {
    const why = error instanceof RangeError ? 'it refers to itself endlessly' : (error as Error).message;
    return [`${NO_SCHEMA}: ${why}`];
  }
}

const OPTIONS = {verbose: true, strict: false, logger: false, code: {optimize: false}} as const;

/** Validates schemas, but adds none of them to itself. Shared, because creating it takes longer than compiling a schema. */
let metaSchema: Ajv2020 | undefined;

/** Cached, because compiling takes most of the time of verifying, and each schema is used twice. */
const validators = new WeakMap<Json, ValidateFunction>();

function compiled(schema: Json): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  void (metaSchema ??= new Ajv2020(OPTIONS)).validateSchema(schema, true);
  // A new compiler for each schema, which therefore cannot replace another one by its `$id`.
  const ajv = addFormats.default(new Ajv2020({...OPTIONS, validateSchema: false}));
  const validate = ajv.compile(schema);
  validators.set(schema, validate);
  return validate;
}

/** The beginning of errors about the schema itself. */
export const NO_SCHEMA = 'its JSON Schema cannot be used';

function digestFaults(document: Json): string[] {
  return document['sha256'] === digestOf(document) ? [] : ['sha256 is not the digest of the document'];
}

/** Returns the members that both have with different values. */
export function differingMembers(one: Json, other: Json = {}): string[] {
  return Object.keys(one).filter(member => member in other && !isDeepStrictEqual(one[member], other[member]));
}

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
    ...examineDocument({subject, value, kind: kinds.get(entry.kind), schema, rows: document.edition?.rows}),
    ...verdict('agreement', subject, faultsOf(entry, document, value, sample), 'agrees with catalogue and sample'),
  ];
}

function faultsOf({name, title}: Entry, {edition}: PaidDocument, value: Json, sample: Json = {}): string[] {
  const differing = differingMembers(value, sample).filter(member => member !== 'title');
  return [
    ...(value['name'] === name && value['title'] === title ? [] : ['has another name or title']),
    ...(isDeepStrictEqual(value['part'], edition?.part) ? [] : ['part differs from the catalogue']),
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
  using rowFiles = await openRowFiles();
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
