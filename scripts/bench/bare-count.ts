import {DuckDBInstance} from '@duckdb/node-api';

/** The peer of `rows.ts`: a process that asks DuckDB for the count per class and nothing else. */
const [list = ''] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
const counts = await connection.runAndReadAll('SELECT class, count(*) FROM read_csv($1) GROUP BY class', [list]);
process.stdout.write(`${JSON.stringify(counts.getRowsJson())}\n`);
