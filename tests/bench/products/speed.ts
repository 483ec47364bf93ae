import {figure, ratioOf, spreadOf, spreadText, type Spread} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import {runsOf, type Measured} from '../measure/turns.ts';
import {names} from './contenders.ts';
import type {Documents} from './peers.ts';

/** How many documents a second a cold build makes, and megabytes. */
export interface Speed {
  readonly name: string;
  readonly documents: Spread;
  readonly megabytes: Spread;
  readonly wrote: Documents;
  /** Documents a second as a ratio of the fastest static generator's; not of the floor, which is none. */
  readonly ratio: Spread;
}

/** What a cold build wrote, by its name. */
export type Written = Record<string, Documents>;

/** The speeds of all cold builds. */
export function speedsOf(turns: readonly Measured[], written: Written): Speed[] {
  const cold = Object.entries(written).map(([name, wrote]) => {
    const documents = runsOf(turns, name).map(each => wrote.count / each.seconds);
    return {name, wrote, documents};
  });
  const generators = cold.filter(({name}) => name === names.hugo || name === names.eleventy);
  const best = generators.toSorted((a, b) => spreadOf(b.documents).median - spreadOf(a.documents).median)[0];
  return cold.map(({name, wrote, documents}) => ({
    name,
    wrote,
    documents: spreadOf(documents),
    megabytes: spreadOf(documents.map(each => (each * wrote.bytes) / wrote.count / 1e6)),
    ratio: ratioOf(documents, best?.documents ?? []),
  }));
}

export function speedTable(speeds: readonly Speed[]): string {
  return table([
    ['', 'documents', 'MB', 'documents/s', 'MB/s', 'documents/s against the fastest generator'],
    ...speeds.map(({name, wrote, documents, megabytes, ratio}) => [
      name,
      figure(wrote.count),
      figure(wrote.bytes / 1e6, 1),
      spreadText(documents, 0),
      figure(megabytes.median, 1),
      spreadText(ratio),
    ]),
  ]);
}
