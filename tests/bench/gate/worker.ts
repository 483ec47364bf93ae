import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {figure, ratioOf, spreadOf, spreadText} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import {PROJECT} from '../../project.ts';
import {bundle, type Bundle} from './bundle.ts';
import {coldStart} from './cold-start.ts';
import type {Question} from './load.ts';

/** A Worker in workerd: its size, and the time of a cold start. */
export interface WorkerFigures {
  readonly name: string;
  /** The size of the bundle. The empty Worker has none. */
  readonly size: Bundle['size'] | undefined;
  /** The milliseconds of each round from the start of workerd to the first response, by its status. */
  readonly starts: Record<number, number[]>;
}

/** The deployed form of the gate, and the bare middleware to which it is compared. */
const WORKERS = {
  'the gate': join(PROJECT, 'dist/cloudflare-worker.js'),
  'bare @x402/hono': join(import.meta.dirname, 'bare-worker.ts'),
};
/** The minimum for any Worker: a response that does not depend on the request. */
const EMPTY = "export default {fetch: () => new Response('{}')};\n";

/** Bundles the gate's Worker and its peers, and starts each again for every request, in turns. */
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
  // Warms up the program.
  await coldStart(file, surroundings, nothing);
  for (let round = 0; round < rounds; round++) {
    for (const {file, asked, starts} of contenders) {
      for (const question of asked)
        (starts[question.status] ??= []).push(await coldStart(file, surroundings, question));
    }
  }
  return contenders.map(({name, size, starts}) => ({name, size, starts}));
}

/** Returns a line per Worker. The ratios are those of the gate to it. */
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
