import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {MAX_COLUMNS, MAX_RECORD_BYTES} from '../../../build/read/limits.ts';
import {paragraphs, type Bench} from '../bench.ts';
import {buildOf} from '../measure/commands.ts';
import {figure, spreadOf} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import {inTurns, runsOf, turnsFigures, type Contender} from '../measure/turns.ts';
import {CLASSES, classField, describe, freezeFolder, url, writeShare, writeSite} from '../site.ts';

const extents = {
  full: {megabytes: 32, wideMegabytes: 4, rounds: 3},
  quick: {megabytes: 4, wideMegabytes: 0.5, rounds: 1},
} as const;

/** The shape of a list: the length of its records, and the number of their columns. */
interface Shape {
  readonly name: string;
  readonly extension: 'csv' | 'ndjson' | 'json';
  readonly recordBytes: number;
  readonly columns: number;
  readonly megabytes: number;
  /** The type of the columns after the first two. By default text. */
  readonly numbers?: {readonly type: 'number'; readonly scale?: number};
}

const FORMATS = ['csv', 'ndjson', 'json'] as const;
const SHARES = [4, 2, 1] as const;

/**
 * Builds over lists of one size with records or columns at a quarter, half and all of the limits, and over numbers.
 */
export const lines: Bench = async ({extent, folder, showProgress}) => {
  const {rounds, megabytes, wideMegabytes} = extents[extent];
  const shapes = FORMATS.flatMap(extension => [
    ...SHARES.map(share => longOf(extension, share, megabytes)),
    ...SHARES.map(share => wideOf(extension, share, wideMegabytes)),
  ]);
  const numbers = {extension: 'csv', recordBytes: 100, columns: 9, megabytes} as const;
  shapes.push(
    {...numbers, name: 'csv, 7 columns of doubles', numbers: {type: 'number'}},
    {...numbers, name: 'csv, 7 columns of exact decimals', numbers: {type: 'number', scale: 2}},
  );
  const sizes = new Map<string, number>();
  const contenders: Contender[] = [];
  for (const shape of shapes) {
    const root = (round: number) => join(folder, `${shape.name.replaceAll(/\W+/g, '-')}-${round}`);
    sizes.set(shape.name, Buffer.byteLength(listOf(shape)) / 1e6);
    contenders.push({
      name: shape.name,
      prepare: round => writeShape(root(round), shape),
      command: round => buildOf(root(round)),
    });
  }
  const turns = await inTurns(contenders, rounds, showProgress);
  const rows = turns.map(({name}) => {
    const runs = runsOf(turns, name);
    const [cpu, most] = [spreadOf(runs.map(run => run.cpu)).median, spreadOf(runs.map(run => run.mebibytes)).max];
    const size = sizes.get(name) ?? Number.NaN;
    return [name, figure(size, 1), figure(cpu, 2), figure((cpu / size) * 1000), figure(most)];
  });
  return {
    figures: {lists: turnsFigures(turns), megabytes: Object.fromEntries(sizes)},
    text: paragraphs(
      `Builds over lists whose records are up to ${figure(MAX_RECORD_BYTES)} bytes long, or have up to ${MAX_COLUMNS} columns, and over numbers: whole processes.`,
      table([['', 'MB', 'CPU s', 'CPU ms / MB', 'peak MiB'], ...rows]),
    ),
    failures: [],
  };
};

function longOf(extension: Shape['extension'], share: number, megabytes: number): Shape {
  const recordBytes = Math.floor(MAX_RECORD_BYTES / share) - 100;
  return {name: `${extension}, records of ${figure(recordBytes)} bytes`, extension, recordBytes, columns: 3, megabytes};
}

function wideOf(extension: Shape['extension'], share: number, megabytes: number): Shape {
  const columns = Math.floor(MAX_COLUMNS / share);
  return {name: `${extension}, ${columns} columns`, extension, recordBytes: 16 * columns, columns, megabytes};
}

async function writeShape(root: string, shape: Shape): Promise<void> {
  await writeSite(root);
  await writeShare(root, 'Soft Fail', 'list', 'soft_fail', {key: 'url', max_rows: 1, examples: 0});
  const list = join(await freezeFolder(root, 'list'), `list.${shape.extension}`);
  await writeFile(list, listOf(shape));
  const others = namesOf(shape).slice(2);
  const fields = [
    url,
    classField,
    ...others.map(name => ({type: 'string', ...shape.numbers, name, constraints: {}}) as const),
  ];
  await describe(list, {fields});
}

function namesOf({columns}: Shape): string[] {
  return ['url', 'class', ...Array.from({length: columns - 2}, (_, index) => `c${index}`)];
}

/** Returns rows of equal length. The other columns share the space that the address and the class leave. */
function listOf(shape: Shape): string {
  const {extension, recordBytes, columns, megabytes} = shape;
  const names = namesOf(shape);
  const rest = shape.numbers
    ? '1234.56'
    : 'x'.repeat(Math.max(1, Math.floor(recordBytes / (columns - 2)) - (extension === 'csv' ? 1 : 10)));
  const rows = Array.from({length: Math.ceil((megabytes * 1e6) / recordBytes)}, (_, row) => [
    `https://host-${row}.example/`,
    CLASSES[row % CLASSES.length] ?? 'dead',
    ...Array.from({length: columns - 2}, () => rest),
  ]);
  if (extension === 'csv') return [names, ...rows].map(cells => `${cells.join(',')}\n`).join('');
  const objects = rows.map(cells =>
    JSON.stringify(Object.fromEntries(cells.map((cell, index) => [names[index], cell]))),
  );
  return extension === 'ndjson' ? `${objects.join('\n')}\n` : `[${objects.join(',\n')}]\n`;
}
