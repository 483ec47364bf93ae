import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {Argument, Command} from '@commander-js/extra-typings';
import {rootFolder} from '../../shared/command-line.ts';
import {checked, exitCodeOf, newTerminal} from '../../scripts/terminal/command.ts';
import {StatusLine} from '../../scripts/terminal/status-line.ts';
import {PROJECT} from '../project.ts';
import type {Bench} from './bench.ts';
import {measure} from './measure.ts';

/** Loaded on demand, so that --help is fast. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  rows: async () => (await import('./rows/rows.ts')).rows,
  lines: async () => (await import('./lines/lines.ts')).lines,
  products: async () => (await import('./products/products.ts')).products,
  queries: async () => (await import('./queries/queries.ts')).queries,
  site: async () => (await import('./shipped-site/shipped-site.ts')).shippedSite,
  start: async () => (await import('./start/start.ts')).start,
  gate: async () => (await import('./gate/gate.ts')).gate,
};

/** Returns the absolute path of a folder with compiled code. */
function compiledFolder(path: string): string {
  const folder = rootFolder(path);
  if (existsSync(join(folder, 'dist/frozen.js'))) return folder;
  throw new Error('It has no dist/frozen.js. Run `npm ci` and `npm run compile` in it.');
}

const program = new Command('npm run bench --')
  .exitOverride(({exitCode}) => process.exit(exitCode === 0 ? 0 : 2))
  .description('Compares this project with its peers in the same run.')
  .addArgument(new Argument('[benches...]', 'all of them by default').choices(Object.keys(BENCHES)))
  .option('--quick', 'less of everything, all of it in about a minute', false)
  .option('--root <folder>', 'the folder of the site that is built and served', checked(rootFolder), PROJECT)
  .option(
    '--former <folder>',
    'a checkout of an earlier commit, compiled: its builds run in turns with those of this one',
    checked(compiledFolder),
  )
  .option('--json', 'the figures as one JSON object', false)
  .addHelpText(
    'after',
    `
  rows      builds over ten million rows, compared with a count by DuckDB and sha256sum
  lines     builds over lists of ever longer records and ever more columns, up to the limits
  products  builds of ten thousand products, compared with Hugo or Eleventy, and plain scripts
  queries   builds of 300 SQL products, compared with the same statements on one DuckDB connection
  site      builds of the site, cold and unchanged, compared with Node's start
  start     the start of every command, compared with Node's
  gate      the gate, compared with \`serve\`, a bare Hono file server and bare @x402/hono

Everything is written to a temporary folder, which is gone afterwards.

Exit codes: 0 measured, 1 a purchase failed or the site cannot be served, 2 wrong usage.

Example: npm run bench -- rows products --quick
`,
  )
  .action(async (names, options) => {
    const chosen = Object.entries(BENCHES).filter(([name]) => names.length === 0 || names.includes(name));
    const {stdout: out, stderr: err} = process;
    const terminal = newTerminal(out, err, new StatusLine(err));
    process.exitCode = await exitCodeOf(() => measure(chosen, options), terminal);
  });
await program.parseAsync();
