import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DuckDBInstance} from '@duckdb/node-api';

/** Returns a Parquet file with the rows of a query. */
export async function parquet(query: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'frozen-parquet-'));
  const path = join(folder, 'rows.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet)`);
    return await readFile(path);
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, {recursive: true});
  }
}
