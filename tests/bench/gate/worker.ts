import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {figure, ratioOf, spreadOf, spreadText} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import {PROJECT} from '../../project.ts';
import {bundle, type Bundle} from './bundle.ts';
import {coldStart} from './cold-start.ts';
import type {Question} from './load.ts';

/** A Worker in workerd: its size, and how fast it wakes. */
export interface WorkerFigures {
  readonly name: string;
  /** Of the bundle; the empty Worker is none. */
  readonly size: Bundle['size'] | undefined;
  /** Milliseconds of each round from the start of workerd to the first answer, by its status. */
  readonly starts: Record<number, number[]>;
}

/** The gate as it is deployed, and the bare middleware that it is compared with. */
const WORKERS = {
  'the gate': join(PROJECT, 'dist/cloudflare-worker.js'),
  'bare @x402/hono': join(import.meta.dirname, 'bare-worker.ts'),
};
/** The floor of every Worker: an answer without a look at the request. */
const EMPTY = "export default {fetch: () => new Response('{}')};\n";

/** Bundles the gate's Worker and its peers, and starts each anew for every question, in turns. */
export async function measureWorkers(
  folder: string,
  site: string,
  facilitatorUrl: string,
  questions: readonly Question[],
  rounds: number,
): Promise<WorkerFigures[]> {
  const contenders: (WorkerFigures & {file: string; asked: readonly Question[]})[] = [];
  for (const [name, entry] of Object.entries(WORKERS)) {
    const bundled = await bundle(entry, site, join(folder, name.replaceAll(/\W+/g, '-')));
    contenders.push({name, ...bundled, asked: questions, starts: {}});
  }
  const file = join(folder, 'empty/worker.js');
  await mkdir(join(folder, 'empty'));
  await writeFile(file, EMPTY);
  const nothing = {path: '/', status: 200};
  contenders.push({name: 'empty Worker', size: undefined, file, asked: [nothing], starts: {}});

  const surroundings = {assets: join(site, 'public'), facilitatorUrl};
  // Warms up the program itself.
  await coldStart(file, surroundings, nothing);
  for (let round = 0; round < rounds; round++) {
    for (const {file, asked, starts} of contenders) {
      for (const question of asked)
        (starts[question.status] ??= []).push(await coldStart(file, surroundings, question));
    }
  }
  return contenders.map(({name, size, starts}) => ({name, size, starts}));
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
