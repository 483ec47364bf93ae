import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {mkdir, mkdtemp, open, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pipeline} from 'node:stream/promises';
import {parseArgs} from 'node:util';
import {fileURLToPath} from 'node:url';
import {table} from './table.ts';

const HELP = `Measures a build over a long list beside the same DuckDB, asked only for the count per class.

Usage: npm run bench -- rows [options]

  --rows N    rows of the list (default: 10000000)
  --rounds N  how often each is measured, in turns (default: 5)
  --no-key    a list whose schema has no rule that a column is unique
  --json      print the figures as one JSON object
  --help

Example: npm run bench -- rows --rows 1000000
`;

const CLASSES = ['fraud', 'dead', 'unable_verify', 'soft_fail'];
const MAIN = fileURLToPath(new URL('../../build/main.ts', import.meta.url));
const BARE = fileURLToPath(new URL('bare-count.ts', import.meta.url));

/** Wall seconds and peak memory in MiB of a process. */
interface Run {
  readonly seconds: number;
  readonly mebibytes: number;
}

process.exitCode = await main(process.argv.slice(2));

/** Exit code: 0 fine, 2 wrong usage. */
async function main(args: string[]): Promise<number> {
  const values = parse(args);
  if (!values) return 2;
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const [rows, rounds] = [Number(values.rows), Number(values.rounds)];
  const root = await mkdtemp(join(tmpdir(), 'bench-rows-'));
  try {
    const list = await writeSite(root, rows, !values['no-key']);
    const runs = measure(root, list, rounds);
    process.stdout.write(
      values.json ? `${JSON.stringify({rows, ...runs})}\n` : `${text(rows, (await stat(list)).size, runs)}\n`,
    );
    return 0;
  } finally {
    await rm(root, {recursive: true});
  }
}

function parse(args: string[]) {
  const flag = {type: 'boolean', default: false} as const;
  const options = {
    rows: {type: 'string', default: '10000000'},
    rounds: {type: 'string', default: '5'},
    'no-key': flag,
    json: flag,
    help: flag,
  } as const;
  try {
    return parseArgs({args, options}).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nTry --help.\n`);
    return undefined;
  }
}

/** A site that sells one class of a long list. Returns the path of the list. */
async function writeSite(root: string, rows: number, key: boolean): Promise<string> {
  const folder = join(root, 'data/sources/deny-list/2026-05-01');
  await mkdir(folder, {recursive: true});
  await mkdir(join(root, 'data/products'));
  const list = join(folder, 'deny-list.csv');
  await writeList(list, rows);
  const hash = createHash('sha256');
  await pipeline(createReadStream(list, {highWaterMark: 1 << 20}), hash);
  const fields = [
    {name: 'url', type: 'string', constraints: {required: true}},
    {name: 'class', type: 'string', constraints: {required: true, enum: CLASSES}},
  ];
  const resource = {
    name: 'deny-list',
    path: 'deny-list.csv',
    format: 'csv',
    bytes: (await stat(list)).size,
    hash: `sha256:${hash.digest('hex')}`,
  };
  await writeFile(
    join(folder, 'datapackage.json'),
    JSON.stringify({
      created: '2026-05-01T00:00:00Z',
      as_of: '2026-05-01T12:00:00.000Z',
      resources: [{...resource, schema: {fields, ...(key ? {primaryKey: ['url']} : {})}}],
    }),
  );
  await writeFile(
    join(root, 'data/site.json'),
    JSON.stringify({
      title: 'Bench',
      base_url: 'https://bench.example',
      payment: {
        accepts: [{network: 'eip155:84532', pay_to: '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2'}],
        facilitator_url: 'https://facilitator.example',
      },
    }),
  );
  await writeFile(
    join(root, 'data/products/soft-fail.json'),
    JSON.stringify({
      title: 'Soft Fail',
      kind: 'class-share',
      price: '$0.02',
      source: 'deny-list',
      class: 'soft_fail',
      difference: 'is measured',
    }),
  );
  return list;
}

/** Distinct addresses in no order, in classes of about the same size. */
async function writeList(path: string, rows: number): Promise<void> {
  await using file = await open(path, 'w');
  const lines = ['url,class'];
  for (let row = 0; row < rows; row++) {
    const scattered = Math.imul(row, 2_654_435_761) >>> 0;
    lines.push(
      `https://host-${scattered.toString(16).padStart(8, '0')}.example/path/${row},${CLASSES[(scattered >>> 7) % 4] ?? ''}`,
    );
    if (lines.length >= 100_000) await file.write(`${lines.splice(0).join('\n')}\n`);
  }
  if (lines.length > 0) await file.write(`${lines.join('\n')}\n`);
}

interface Runs {
  readonly build: readonly Run[];
  readonly bare: readonly Run[];
}

/** Both in turns, after one round that does not count. */
function measure(root: string, list: string, rounds: number): Runs {
  const runs = {build: [] as Run[], bare: [] as Run[]};
  for (let round = 0; round <= rounds; round++) {
    const bare = run([BARE, list]);
    const build = run([MAIN, '--root', root]);
    if (round > 0) {
      runs.bare.push(bare);
      runs.build.push(build);
    }
  }
  return runs;
}

function run(args: readonly string[]): Run {
  const started = performance.now();
  const report = `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS))`;
  const stderr = execFileSync(
    'sh',
    [
      '-c',
      'exec "$0" "$@" 2>&1 >/dev/null',
      process.execPath,
      '--import',
      'tsx',
      '--import',
      `data:text/javascript,${encodeURIComponent(report)}`,
      ...args,
    ],
    {encoding: 'utf8'},
  );
  return {seconds: (performance.now() - started) / 1000, mebibytes: Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024};
}

function text(rows: number, bytes: number, {build, bare}: Runs): string {
  const ratios = build.map(({seconds}, round) => seconds / (bare[round]?.seconds ?? Number.NaN));
  const line = (name: string, runs: readonly Run[]) => [
    name,
    spread(runs.map(({seconds}) => seconds)),
    median(runs.map(({mebibytes}) => mebibytes)).toFixed(0),
  ];
  return [
    `${rows} rows, ${(bytes / 1e6).toFixed(0)} MB of CSV, whole processes`,
    '',
    table([
      ['', 'wall s: median (min to max)', 'peak MiB'],
      line('DuckDB, count per class', bare),
      line('build', build),
      ['build / count', spread(ratios), ''],
    ]),
  ].join('\n');
}

function spread(values: readonly number[]): string {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
