import {stat} from 'node:fs/promises';
import {join} from 'node:path';
import {paragraphs, type Bench} from '../bench.ts';
import {buildsOf} from '../measure/builds.ts';
import {buildOf} from '../measure/commands.ts';
import {run} from '../measure/process-run.ts';
import {figure} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import {inTurns, turnsFigures, turnsTable, type Contender, type Measured} from '../measure/turns.ts';
import {forms, writeListSite, type Form} from './lists.ts';

const BARE_COUNT = join(import.meta.dirname, 'bare-count.js');

const extents = {
  full: {rows: 10_000_000, fewer: 1_000_000, rounds: 5},
  quick: {rows: 200_000, fewer: undefined, rounds: 1},
} as const;

/** The results for one form of the list. */
interface Measurement {
  readonly form: string;
  readonly bytes: number;
  readonly turns: readonly Measured[];
  /** Peak MiB of a build over fewer rows, if it is measured. */
  readonly peakOfFewer?: number;
}

/** Measures builds over long lists, compared with DuckDB counting the rows per class, and with `sha256sum`. */
export const rows: Bench = async ({extent, former, folder, showProgress}) => {
  const {rows, fewer, rounds} = extents[extent];
  const measured: Measurement[] = [];
  for (const form of forms) {
    const own = join(folder, form.folder);
    showProgress(`writing ${figure(rows)} rows of ${form.name}`);
    const list = await writeListSite(own, form, rows);
    const peaks = fewer === undefined ? {} : {peakOfFewer: await peakOver(`${own}-fewer`, form, fewer)};
    const turns = await inTurns(contendersOver(own, list, form, former), rounds, showProgress);
    measured.push({form: form.name, bytes: (await stat(list)).size, turns, ...peaks});
  }
  return {
    figures: {rows, fewer, lists: measured.map(each => ({...each, turns: turnsFigures(each.turns)}))},
    text: paragraphs(
      `Builds over ${figure(rows)} rows of addresses and classes, as they are and with the address a key: whole processes.`,
      ...measured.map(({form, turns}) => turnsTable(turns, form)),
      fewer === undefined ? '' : memoryTable(measured, rows, fewer),
    ),
    failures: [],
  };
};

const COUNT = 'count per class';
const DIGEST = 'sha256sum';

/** Every build is the first build of its site, because a build that remembers the list has little to do. */
function contendersOver(site: string, list: string, {reader}: Form, former?: string): Contender[] {
  // The same site again, with a hard link to the list.
  const prepare = (root: string) => run(['cp', '-rl', site, root]);
  return [
    {name: COUNT, command: () => [process.execPath, BARE_COUNT, list, reader]},
    {name: DIGEST, command: () => ['sha256sum', list]},
    ...buildsOf(site, [{name: 'build', against: [COUNT, DIGEST], prepare}], former),
  ];
}

/** Returns the peak MiB of a build over this many rows. */
async function peakOver(root: string, form: Form, rows: number): Promise<number> {
  await writeListSite(root, form, rows);
  return (await run(buildOf(root))).mebibytes;
}

function memoryTable(measured: readonly Measurement[], rows: number, fewer: number): string {
  const peak = (name: string) => `peak MiB at ${name} rows`;
  return table([
    ['list', 'MB', peak(figure(fewer)), peak(figure(rows)), 'ratio'],
    ...measured.map(({form, bytes, turns, peakOfFewer = Number.NaN}) => {
      const highest = Math.max(...(turns.at(-1)?.runs ?? []).map(each => each.mebibytes));
      return [form, figure(bytes / 1e6, 1), figure(peakOfFewer), figure(highest), figure(highest / peakOfFewer, 2)];
    }),
  ]);
}
