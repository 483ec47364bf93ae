import {copyFile, mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {figure, ratioOf, spreadOf, spreadText} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import {bundle, workers, type Bundle} from './bundle.ts';
import {coldStart, writeWorkerdConfig} from './cold-start.ts';
import type {Question} from './load.ts';

/** A Worker in workerd: its size, and how fast it wakes. */
export interface WorkerFigures {
  readonly name: string;
  /** Of the bundle; the empty Worker is none. */
  readonly size: Pick<Bundle, 'bytes' | 'gzip'> | undefined;
  /** Milliseconds of each round from the start of workerd to the first answer, by its status. */
  readonly starts: Readonly<Record<number, readonly number[]>>;
}

const EMPTY = join(import.meta.dirname, 'empty-worker.js');

/** Bundles the gate's Worker and its peers, and starts each anew for every question, in turns. */
export async function measureWorkers(
  folder: string,
  site: string,
  facilitatorUrl: string,
  questions: readonly Question[],
  rounds: number,
): Promise<WorkerFigures[]> {
  const contenders = [];
  for (const [name, entry] of Object.entries({'the gate': workers.gate, 'bare @x402/hono': workers.bare})) {
    const {file, ...size} = await bundle(entry, site, join(folder, name.replaceAll(/\W+/g, '-')));
    contenders.push({name, file, size, asked: questions});
  }
  const empty = join(folder, 'empty/worker.js');
  await mkdir(join(folder, 'empty'));
  await copyFile(EMPTY, empty);
  contenders.push({name: 'empty Worker', file: empty, size: undefined, asked: [{path: '/', status: 200}]});

  const started = [];
  for (const {name, file, size, asked} of contenders) {
    const config = await writeWorkerdConfig(file, join(site, 'public'), facilitatorUrl);
    started.push({
      name,
      size,
      config,
      asked,
      starts: Object.fromEntries(asked.map(each => [each.status, [] as number[]])),
    });
  }
  const [first] = started;
  // Warms up the program itself.
  if (first) await coldStart(first.config, {path: '/', status: 200});
  for (let round = 0; round < rounds; round++) {
    for (const {config, asked, starts} of started) {
      for (const question of asked) starts[question.status]?.push(await coldStart(config, question));
    }
  }
  return started.map(({name, size, starts}) => ({name, size, starts}));
}

/** One line a Worker; the ratios are those of the gate to it. */
export function workerTable(all: readonly WorkerFigures[]): string {
  const [gate] = all;
  const start = ({starts}: WorkerFigures, status: number) => spreadText(spreadOf(starts[status] ?? []), 0);
  const size = (bytes: number | undefined) => (bytes === undefined ? '' : figure(bytes / 1024));
  return table([
    [
      'in workerd',
      'KiB',
      'gzip KiB',
      'start to free document, ms',
      'start to 402, ms',
      "the gate's start to a free document against it",
    ],
    ...all.map(each => [
      each.name,
      size(each.size?.bytes),
      size(each.size?.gzip),
      start(each, 200),
      start(each, 402),
      each === gate ? '' : spreadText(ratioOf(gate?.starts[200] ?? [], each.starts[200] ?? [])),
    ]),
  ]);
}
