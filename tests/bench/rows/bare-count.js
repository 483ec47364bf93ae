import {DuckDBInstance} from '@duckdb/node-api';

/** A peer of a build: a process that asks DuckDB for the count per class, reads the list by its own defaults, and does nothing else. */
const [list = '', reader = ''] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
const counts = await connection.runAndReadAll(`SELECT class, count(*) FROM ${reader}($1) GROUP BY class`, [list]);
process.stdout.write(`${JSON.stringify(counts.getRowsJson())}\n`);
