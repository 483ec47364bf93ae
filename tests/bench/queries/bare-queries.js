import {readFileSync} from 'node:fs';
import {DuckDBInstance} from '@duckdb/node-api';

/** A peer of a build: a process that loads the list into one DuckDB, runs every statement and ignores the rows. */
const [list = '', file = ''] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
await connection.run('CREATE TABLE rows AS FROM read_csv($1)', [list]);
let total = 0;
for (const {figures, rows} of JSON.parse(readFileSync(file, 'utf8')))
  for (const sql of [figures, rows]) total += (await connection.runAndReadAll(sql)).getRowsJson().length;
process.stdout.write(`${total} rows\n`);
