import {availableParallelism} from 'node:os';
import pMap from 'p-map';
import type {Unit} from '../products/units.ts';
import type {Site} from '../read/site.ts';
import type {Output} from '../write/stage.ts';
import type {SourceResult} from './compose-source.ts';
import {inPlace, type Composer} from './composer.ts';
import type {OnRead} from './contents.ts';
import {Workplace} from './workplace.ts';

/** How units are composed. */
export interface Composing {
  /** The folder that holds `data/`, `public/` and `paywall/rules/`. */
  readonly root: string;
  /** Takes every file once it is composed and checked. */
  readonly output: Output;
  /** Where several threads may compose: how many do, by default one for each core of many products. */
  readonly threads?: {readonly atMost?: number | undefined; readonly check: boolean} | undefined;
  /** When, by the disk's clock, the times of a file are too young to tell later changes of it. */
  readonly moment?: number | undefined;
  readonly progress?: Progress | undefined;
}

/** Told how far the work is. */
export interface Progress {
  readonly onRead: OnRead;
  onComposed(done: number, of: number): void;
}

/** Composes every unit, those over several sources when the sources themselves have been read. */
export async function composeUnits(
  source: Composing,
  site: Site,
  {rounds, held = new Set()}: {rounds: readonly (readonly Unit[])[]; held?: ReadonlySet<string>},
): Promise<ReadonlyMap<Unit, SourceResult>> {
  const results = new Map<Unit, SourceResult>();
  const all = rounds.flat();
  if (all.length === 0) return results;
  await using composer = await composerFor(source, {site, held}, all);
  for (const units of rounds) {
    const broken = new Set([...results].flatMap(([{sources}, {faults}]) => (faults.length > 0 ? sources : [])));
    const good = units.filter(({sources}) => !sources.some(name => broken.has(name)));
    const compose = async (unit: Unit) => {
      const result = await composer.compose(unit);
      results.set(unit, result);
      source.progress?.onComposed(results.size, all.length);
      return [unit, result] as const;
    };
    // The order is that of the units, not that in which they were ready.
    const ready = await pMap(good, compose, {concurrency: composer.atOnce});
    for (const [unit, result] of ready) {
      results.delete(unit);
      results.set(unit, result);
    }
  }
  return results;
}

/** With fewer products the start of threads would take longer than they save. */
const MANY_PRODUCTS = 1000;

async function composerFor(
  {root, output, threads, moment = Infinity, progress}: Composing,
  {site, held}: {site: Site; held: ReadonlySet<string>},
  units: readonly Unit[],
): Promise<Composer> {
  const areMany = units.reduce((sum, {products}) => sum + products.length, 0) >= MANY_PRODUCTS;
  const atOnce = Math.min(threads?.atMost ?? (areMany ? availableParallelism() : 1), units.length);
  if (threads && atOnce > 1) {
    const {inThreads} = await import('./threads.ts');
    return inThreads({root, site, check: threads.check, moment, held}, atOnce);
  }
  return inPlace(await Workplace.open({root, site, output, moment, held}), progress?.onRead ?? (() => () => undefined));
}
