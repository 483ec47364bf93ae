import {DuckDBInstance} from '@duckdb/node-api';
import {AGGREGATES, CALLS, TABLE, WINDOWS} from './query-calls.ts';

/** The result of a call as text, and all functions that it calls. */
export interface Answered {
  readonly calls: readonly string[];
  readonly value?: unknown;
  readonly error?: string;
}

// Prints the result of every call. Runs in a separate process with its settings as the argument.

const {order, ...settings} = JSON.parse(process.argv[2] ?? '') as {order: string};
const instance = await DuckDBInstance.create(':memory:', {
  ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])),
});
const connection = await instance.connect();
await connection.run(`SET TimeZone = 'UTC'; CREATE TABLE t AS SELECT * FROM (${TABLE}) ORDER BY ${order}`);

const inRows = (call: string) => `SELECT list(x::VARCHAR ORDER BY i, x::VARCHAR) FROM (SELECT i, ${call} AS x FROM t)`;
const queries = [
  ...CALLS.map(([call, names]) => [call, names, inRows] as const),
  ...AGGREGATES.map(([call, names]) => [call, names, (called: string) => `SELECT ${called}::VARCHAR FROM t`] as const),
  ...WINDOWS.map(([call, names]) => [call, names, (called: string) => inRows(`${called} OVER (ORDER BY i)`)] as const),
];
const answers: Record<string, Answered> = {};
for (const [call, names, query] of queries)
  for (const name of names.split(' ')) answers[name] = await answered(query(call.replace('¤', () => name)));
process.stdout.write(JSON.stringify(answers));

async function answered(sql: string): Promise<Answered> {
  const first = async (text: string) => (await connection.runAndReadAll(text)).getRowsJson()[0]?.[0];
  const tree = (await first(`SELECT json_serialize_sql('${sql.replaceAll("'", "''")}')`)) as string;
  const calls = [...tree.matchAll(/"function_name":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, called]) => JSON.parse(`"${called ?? ''}"`) as string,
  );
  try {
    return {calls: calls.map(called => called.toLowerCase()), value: await first(sql)};
  } catch (error) {
    return {calls, error: `${sql}: ${(error as Error).message.split('\n')[0] ?? ''}`};
  }
}
