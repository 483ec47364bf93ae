import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

const HELP = `Measures this project beside its peers, in the same run.

Usage: npm run bench -- [rows | gate] [options]

  rows  a build over ten million rows beside DuckDB's bare count per class
  gate  the gate beside a bare Hono file server and bare @x402/hono; 1,000 purchases in a row
  (neither: both, one after the other)

Options go to the benches: npm run bench -- rows --help

Example: npm run bench -- gate --quick
`;

const BENCHES = ['rows', 'gate'];

process.exitCode = main(process.argv.slice(2));

/** Exit code: the bench's own, 2 for wrong usage. */
function main([first = '', ...others]: string[]): number {
  if (first === '--help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (BENCHES.includes(first)) return run(first, others);
  if (first === '') return Math.max(...BENCHES.map(name => run(name, [])));
  process.stderr.write(`${first} is no bench: ${BENCHES.join(', ')}\nTry --help.\n`);
  return 2;
}

function run(name: string, args: readonly string[]): number {
  const file = fileURLToPath(new URL(`bench/${name}.ts`, import.meta.url));
  return spawnSync(process.execPath, ['--import', 'tsx', file, ...args], {stdio: 'inherit'}).status ?? 1;
}
