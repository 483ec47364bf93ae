import {InputError, mapAll} from '../../shared/fault.ts';
import type {FrozenList} from '../read/freezes.ts';
import {isNestedDeeper, DEPTH_RULE, MAX_DEPTH, MAX_PARSED_BYTES} from '../read/limits.ts';
import {chunksOf} from './lines.ts';
import {CsvRecords} from './csv-records.ts';
import {RefusedRecord, type Counted, type RecordCounter, JsonRecords, NdjsonRecords} from './records.ts';
import {findNodeAtLocation, type Node} from 'jsonc-parser';
import {decode, parse, type JsonText} from '../../shared/json-text.ts';

const [LF, CR] = [0x0a, 0x0d];

/** Facts about the bytes of a list, from before DuckDB reads them. */
export interface Survey {
  /** Size of the files, unpacked, with a line end after the last line of each. */
  readonly bytes: number;
  readonly quoted: boolean;
  readonly unclosed: string | undefined;
  /** The number of rows without headers. Undefined for Parquet, which is not text. */
  readonly rows: number | undefined;
}

/**
 * Reads all files of a list before DuckDB, which skips some records without an error. Throws `InputError` if a record is longer than
 * `MAX_RECORD_BYTES`, nested deeper than `MAX_DEPTH` or ambiguous, or if a gzip file is damaged.
 * @param columns the number of columns of the list
 */
export async function survey(freeze: FrozenList, columns: number): Promise<Survey> {
  const counters = {
    csv: () => new CsvRecords(freeze.delimiter, columns),
    ndjson: () => new NdjsonRecords(),
    json: () => new JsonRecords(),
    parquet: undefined,
  };
  const counterFor = counters[freeze.format];
  const uncounted = {bytes: freeze.bytes, quoted: true, unclosed: undefined, rows: undefined};
  if (!counterFor) return uncounted;
  const {property} = freeze;
  if (property === undefined) return countAll(freeze, counterFor);
  const counts = await mapAll(freeze.files, file => countWrapped(freeze.root, file, property));
  return {...uncounted, rows: totalOf(counts)};
}

function totalOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function countAll(freeze: FrozenList, counterFor: () => RecordCounter): Promise<Survey> {
  const files = await mapAll(freeze.files, async file => ({file, ...(await count(freeze.root, file, counterFor()))}));
  const header = freeze.format === 'csv' ? 1 : 0;
  return {
    bytes: totalOf(files.map(({bytes}) => bytes)),
    quoted: files.some(({quoted}) => quoted),
    unclosed: files.find(({unclosed}) => unclosed)?.file,
    rows: totalOf(files.map(({records}) => records - header)),
  };
}

async function count(root: string, file: string, counter: RecordCounter): Promise<Counted & {readonly bytes: number}> {
  let [bytes, last] = [0, LF];
  try {
    for await (const chunk of chunksOf(root, file)) {
      counter.push(chunk);
      bytes += chunk.length;
      last = chunk.at(-1) ?? last;
    }
  } catch (cause) {
    if (!(cause instanceof RefusedRecord)) throw cause;
    throw new InputError({...cause.fault, file, line: cause.line, field: 'record'}, {cause});
  }
  return {...counter.end(), bytes: bytes + (last === LF || last === CR ? 0 : 1)};
}

/** Counts the rows of a JSON list inside an object. Throws `InputError` if the file cannot be parsed or does not contain the list. */
async function countWrapped(root: string, file: string, property: string): Promise<number> {
  const {tree} = await parseWhole(root, file);
  const rows = rowsIn(tree, property);
  if (rows) return rows.children?.length ?? 0;
  throw new InputError({code: 'FZ107', file, field: property, rule: 'is not a member with a list of rows'});
}

/** Parses a JSON file as a whole. Throws `InputError` if it is too long or not strict JSON. */
export async function parseWhole(root: string, file: string): Promise<JsonText> {
  const bytes = await bytesIfSmall(root, file);
  const tooLarge = 'is larger than 64 MiB, the limit for JSON files with a list inside an object';
  if (!bytes) throw new InputError({code: 'FZ109', file, rule: tooLarge});
  const text = decode({file}, bytes);
  if (isNestedDeeper(text, MAX_DEPTH)) throw new InputError({code: 'FZ109', file, rule: DEPTH_RULE});
  return parse({file}, text);
}

/** Returns the list of rows in a JSON file: the whole value, or the one that `property` leads to. */
export function rowsIn(tree: Node, property: string | undefined): Node | undefined {
  const node = property === undefined ? tree : findNodeAtLocation(tree, property.split('.'));
  return node?.type === 'array' ? node : undefined;
}

/** Returns the unpacked bytes of a file. Undefined if there are too many to parse as a whole. */
export async function bytesIfSmall(root: string, file: string): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(root, file)) {
    size += chunk.length;
    if (size > MAX_PARSED_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
