import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import type {Bench} from './bench/bench.ts';
import {endWithoutOutput, rootFolder, standWhereCalled, wrongUsage} from '../shared/command-line.ts';

const HELP = `Measures this project beside its peers, in the same run.

Usage: npm run bench -- [rows] [lines] [products] [queries] [start] [gate] [options]

  rows      builds over ten million rows beside DuckDB's bare count and sha256sum
  lines     builds over lists of ever longer records and ever more columns, up to the limits
  products  builds of ten thousand products beside Hugo, Eleventy and plain scripts
  queries   builds of a thousand SQL products beside the same statements on one DuckDB connection
  start     every command's start beside Node's own
  gate      the gate beside \`serve\`, a bare Hono file server and bare @x402/hono
  (none of these: all of them)

Options:
  --quick     less of everything, all of it in about a minute
  --root DIR  the folder that holds the site that is started and served (default: this project)
  --json      the figures as one JSON object
  --help      this text

Everything is written to a temporary folder, which is gone afterwards.

Exit codes: 0 measured, 1 a purchase failed or the site cannot be served, 2 wrong usage.

Example: npm run bench -- rows products --quick
`;

/** Loaded one by one, so that --help waits for none. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  rows: async () => (await import('./bench/rows/rows.ts')).rows,
  lines: async () => (await import('./bench/lines/lines.ts')).lines,
  products: async () => (await import('./bench/products/products.ts')).products,
  queries: async () => (await import('./bench/queries/queries.ts')).queries,
  start: async () => (await import('./bench/start/start.ts')).start,
  gate: async () => (await import('./bench/gate/gate.ts')).gate,
};

const options = {
  quick: {type: 'boolean', default: false},
  root: {type: 'string', default: resolve(import.meta.dirname, '..')},
  json: {type: 'boolean', default: false},
  help: {type: 'boolean', short: 'h', default: false},
} as const;

type Usage = ReturnType<typeof usage>;

/** Exit code: 0 measured, 1 a purchase failed or the site cannot be served, 2 wrong usage. */
export async function main(args: string[]): Promise<0 | 1 | 2> {
  standWhereCalled('bench');
  endWithoutOutput();
  let read: Usage;
  try {
    read = usage(args);
  } catch (error) {
    process.stderr.write(wrongUsage(error));
    return 2;
  }
  if (read.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const {measure} = await import('./bench/measure.ts');
  const chosen = Object.entries(BENCHES).filter(([name]) => read.names.length === 0 || read.names.includes(name));
  return measure(chosen, read);
}

function usage(args: string[]) {
  const {values, positionals: names} = parseArgs({args, options, allowPositionals: true});
  const unknown = names.find(name => !Object.hasOwn(BENCHES, name));
  if (unknown !== undefined) throw new Error(`${unknown} is no bench: ${Object.keys(BENCHES).join(', ')}`);
  return {...values, root: values.help ? values.root : rootFolder(values.root), names};
}
