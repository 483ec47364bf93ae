import {availableParallelism, cpus} from 'node:os';
import {isatty} from 'node:tty';
import {parseArgs} from 'node:util';
import {path} from 'zx';
import {InputError} from '../../build/fault.ts';
import {SiteError} from '../../paywall/open-site.ts';
import {dollars} from '../demo/money.ts';
import {connections, type Rate} from './load.ts';
import {full, measureGate, quick, type Extent, type GateFigures} from './measure-gate.ts';
import {table} from './table.ts';

const help = `Measures the gate beside its bare peers, with the load generator on the same machine.

Usage: node --import tsx scripts/bench/gate.ts [options]

  --quick     a short run, to see that it works
  --root DIR  the folder that holds public/ and paywall/rules/ (default: the project)
  --json      print the figures as one JSON object
  --help

Example: node --import tsx scripts/bench/gate.ts --quick
`;

const options = {
  quick: {type: 'boolean', default: false},
  root: {type: 'string', default: path.resolve(import.meta.dirname, '../..')},
  json: {type: 'boolean', default: false},
  help: {type: 'boolean', default: false},
} as const;

process.exitCode = await main(process.argv.slice(2));

/** Exit code: 0 fine, 1 a purchase failed or the site cannot be served, 2 wrong usage. */
async function main(args: string[]): Promise<number> {
  const values = parse(args);
  if (!values) return 2;
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  try {
    return await measure(path.resolve(values.root), values.quick ? quick : full, values.json);
  } catch (error) {
    if (!(error instanceof InputError || error instanceof SiteError)) throw error;
    console.error(error.message);
    return 1;
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({args, options}).values;
  } catch (error) {
    console.error(`${(error as Error).message}\nSee --help.`);
    return undefined;
  }
}

async function measure(root: string, extent: Extent, json: boolean): Promise<number> {
  const figures = await measureGate(root, extent, now => {
    if (isatty(2)) console.error(`${now} …`);
  });
  console.log(json ? JSON.stringify({extent, ...figures}, asText, 2) : text(figures, extent));
  const {missed, owed, spent, earned} = figures.purchases;
  return missed === 0 && spent === owed && earned === owed ? 0 : 1;
}

/** JSON has no integers of any size: amounts are text there. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function text({free, challenge, memory, purchases}: GateFigures, {rounds, duration}: Extent): string {
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, Node ${process.version}`;
  const {count, missed, misses, slowest, rate, spent, earned} = purchases;
  return [
    `${machine}, load generator on the same machine,`,
    `${connections} connections, median of ${rounds} rounds of ${duration} s in turns.`,
    '',
    table([
      ['', 'requests/s', 'p99 ms', 'CPU µs each', 'rate against bare'],
      row('free document, gate', free.gate, free.files),
      row('free document, bare Hono file server', free.files),
      row('402 challenge, gate', challenge.gate, challenge.x402),
      row('402 challenge, bare @x402/hono', challenge.x402),
    ]),
    '',
    table([
      ['gate after requests', 'heap MB', 'resident MB'],
      ...memory.map(({requests, heap, resident}) => [whole(requests), megabytes(heap), megabytes(resident)]),
    ]),
    '',
    `${whole(count)} purchases in a row: ${whole(count - missed)} documents, ${rate.toFixed(0)} a second, the slowest in ${whole(slowest)} ms,`,
    `${dollars(spent)} USDC spent, ${dollars(earned)} USDC earned.`,
    ...Object.entries(misses).map(([answer, times]) => `${whole(times)} times no document: ${answer}`),
  ].join('\n');
}

function row(name: string, {rate, p99, cpu}: Rate, peer?: Rate): string[] {
  return [name, whole(rate), whole(p99), whole(cpu), peer ? (rate / peer.rate).toFixed(2) : ''];
}

function whole(value: number): string {
  return value.toLocaleString('en-US', {maximumFractionDigits: 0});
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
