import {DuckDBInstance} from '@duckdb/node-api';

/** A peer of a build: a process in which DuckDB reads the list with its defaults and counts the rows per class. */
const [list = '', reader = ''] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
const counts = await connection.runAndReadAll(`SELECT class, count(*) FROM ${reader}($1) GROUP BY class`, [list]);
process.stdout.write(`${JSON.stringify(counts.getRowsJson())}\n`);
