import {join} from 'node:path';
import type {DuckDBConnection} from '@duckdb/node-api';

export interface Database {
  /** Returns the rows of a result as JSON values. BIGINT and DECIMAL are strings. */
  readonly query: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  /** How much of the running query is done, from 0 to 100. Negative if unknown or not counted. */
  progress(): number;
  close(): void;
}

/**
 * Opens an in-memory DuckDB that may only read files below `data/sources`: no network, no other files, no extensions, no temporary files.
 * @param counted measure the progress of queries, which costs DuckDB a tenth of its time
 */
export async function openDatabase(
  root: string,
  {counted = false}: {readonly counted?: boolean} = {},
): Promise<Database> {
  const {lock, openDuckDb} = await import('./duckdb.ts');
  const open = async () => {
    const {connection, close} = await openDuckDb();
    await addRepeatedHash(connection);
    await connection.run(`SET enable_progress_bar = ${counted}; SET enable_progress_bar_print = false;`);
    await lock(connection, [join(root, 'data', 'sources')]);
    return {connection, close};
  };
  let opened = await open();
  return {
    async query(sql) {
      try {
        return (await opened.connection.runAndReadAll(sql)).getRowsJson();
      } catch (error) {
        // After an internal error DuckDB refuses all further work, so it is opened again for the next list.
        if (error instanceof Error && /^(INTERNAL|FATAL) Error/.test(error.message)) {
          opened.close();
          opened = await open();
        }
        throw error;
      }
    },
    progress: () => opened.connection.progress.percentage,
    close: () => {
      opened.close();
    },
  };
}

/** Returns SQL that is true if two values have the same hash, in a fifth of the time of `count(*) > count(DISTINCT hash(…))`. */
export function repeatedHash(values: string, filter: string): string {
  return `has_repeated(list(hash(${values})) ${filter})`;
}

/**
 * Adds `has_repeated(list)` to SQL: true if a 64-bit number occurs twice in a list. The numbers must be evenly distributed, as hashes are.
 */
async function addRepeatedHash(connection: DuckDBConnection): Promise<void> {
  const [{default: api}, {default: bindings}] = await Promise.all([
    import('@duckdb/node-api'),
    import('@duckdb/node-bindings'),
  ]);
  const {BOOLEAN, DuckDBScalarFunction, LIST, UBIGINT} = api;
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: 'has_repeated',
      parameterTypes: [LIST(UBIGINT)],
      returnType: BOOLEAN,
      mainFunction(_, {chunk, rowCount}, answer) {
        if (rowCount !== 1) throw new Error(`has_repeated is for one list, not ${rowCount}`);
        const lists = bindings.data_chunk_get_vector(chunk, 0);
        const count = bindings.list_vector_get_size(lists);
        const {buffer, byteOffset} = bindings.vector_get_data(bindings.list_vector_get_child(lists), 8 * count);
        answer.setItem(0, hasRepeated(new Uint32Array(buffer, byteOffset, 2 * count)));
        answer.flush();
      },
    }),
  );
}

/** Enough buckets that the hash table of each fits the processor's cache, even for millions of numbers. */
const BUCKETS = 1 << 10;
const BUCKET_SHIFT = 32 - 10;
const FREE = -1;

/**
 * True if a number occurs twice. Each number is two 32-bit words, because `BigInt` takes three times as long. The numbers are first sorted
 * into buckets, then each bucket is checked with a hash table.
 */
export function hasRepeated(words: Uint32Array): boolean {
  const starts = bucketStarts(words);
  const sorted = inBuckets(words, starts);
  const buckets = Array.from({length: BUCKETS}, (_, bucket) => sorted.subarray(starts[bucket], starts[bucket + 1]));
  const largest = buckets.reduce((most, {length}) => Math.max(most, length), 1);
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(largest)));
  return buckets.some(bucket => bucketHasRepeated(bucket, slots));
}

/** The index of each bucket's first word, and finally the number of words. */
function bucketStarts(words: Uint32Array): Uint32Array {
  const starts = new Uint32Array(BUCKETS + 1);
  for (let index = 0; index < words.length; index += 2) {
    const next = ((words[index] ?? 0) >>> BUCKET_SHIFT) + 1;
    starts[next] = (starts[next] ?? 0) + 2;
  }
  for (let bucket = 1; bucket <= BUCKETS; bucket++) starts[bucket] = (starts[bucket] ?? 0) + (starts[bucket - 1] ?? 0);
  return starts;
}

function inBuckets(words: Uint32Array, starts: Uint32Array): Uint32Array {
  const ends = starts.slice();
  const sorted = new Uint32Array(words.length);
  for (let index = 0; index < words.length; index += 2) {
    const word = words[index] ?? 0;
    const bucket = word >>> BUCKET_SHIFT;
    const place = ends[bucket] ?? 0;
    ends[bucket] = place + 2;
    sorted[place] = word;
    sorted[place + 1] = words[index + 1] ?? 0;
  }
  return sorted;
}

/** A hash table with open addressing and linear probing, indexed by the second word. */
function bucketHasRepeated(words: Uint32Array, slots: Int32Array): boolean {
  const mask = slots.length - 1;
  slots.fill(FREE);
  for (let index = 0; index < words.length; index += 2) {
    const [first, second = 0] = [words[index], words[index + 1]];
    let slot = second & mask;
    for (let other = slots[slot] ?? FREE; other !== FREE; other = slots[slot] ?? FREE) {
      if (words[other] === first && words[other + 1] === second) return true;
      slot = (slot + 1) & mask;
    }
    slots[slot] = index;
  }
  return false;
}
