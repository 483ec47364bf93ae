import {figure, ratioOf, spreadOf, spreadText, type Spread} from '../measure/spread.ts';
import {table} from '../measure/table.ts';
import {runsOf, type Measured} from '../measure/turns.ts';
import {names} from './contenders.ts';
import type {Files} from './peers.ts';

/** The files and megabytes per second of a cold build. */
export interface Speed {
  readonly name: string;
  readonly files: Spread;
  readonly megabytes: Spread;
  readonly wrote: Files;
  /** Files per second, divided by those of the fastest static generator. The minimal script is not one. */
  readonly ratio: Spread;
}

/** The output of a cold build, by its name. */
export type Written = Record<string, Files>;

/** Returns the speeds of all cold builds. */
export function speedsOf(turns: readonly Measured[], written: Written): Speed[] {
  const cold = Object.entries(written).map(([name, wrote]) => {
    const files = runsOf(turns, name).map(each => wrote.count / each.seconds);
    return {name, wrote, files};
  });
  const generators = cold.filter(({name}) => name === names.hugo || name === names.eleventy);
  const best = generators.toSorted((a, b) => spreadOf(b.files).median - spreadOf(a.files).median)[0];
  return cold.map(({name, wrote, files}) => ({
    name,
    wrote,
    files: spreadOf(files),
    megabytes: spreadOf(files.map(each => (each * wrote.bytes) / wrote.count / 1e6)),
    ratio: ratioOf(files, best?.files ?? []),
  }));
}

export function speedTable(speeds: readonly Speed[]): string {
  return table([
    ['', 'files', 'MB', 'files/s', 'MB/s', 'files/s against the fastest generator'],
    ...speeds.map(({name, wrote, files, megabytes, ratio}) => [
      name,
      figure(wrote.count),
      figure(wrote.bytes / 1e6, 1),
      spreadText(files, 0),
      figure(megabytes.median, 1),
      spreadText(ratio),
    ]),
  ]);
}
