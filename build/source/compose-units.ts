import type {Unit} from '../products/units.ts';
import type {Site} from '../read/site.ts';
import type {Output} from '../write/stage.ts';
import {composeSource, type SourceResult} from './compose-source.ts';
import type {OnRead} from './contents.ts';
import {openWorkplace} from './workplace.ts';

/** How units are composed. */
export interface Composing {
  /** The folder that holds `data/`, `public/` and `paywall/rules/`. */
  readonly root: string;
  /** Takes every file once it is composed and checked. */
  readonly output: Output;
  /** A file with a later time can change and keep its stamp. By the disk's clock. */
  readonly moment?: number | undefined;
  readonly progress?: Progress | undefined;
}

/** Is called with the progress of the work. */
export interface Progress {
  readonly onRead: OnRead;
  onComposed(done: number, of: number): void;
}

/** Composes every unit, those over several sources after the sources themselves. */
export async function composeUnits(
  {root, output, moment = Infinity, progress}: Composing,
  site: Site,
  {rounds, held = new Set()}: {rounds: readonly (readonly Unit[])[]; held?: ReadonlySet<string>},
): Promise<ReadonlyMap<Unit, SourceResult>> {
  const results = new Map<Unit, SourceResult>();
  const all = rounds.flat();
  if (all.length === 0) return results;
  await using place = await openWorkplace({root, site, output, moment, held});
  for (const units of rounds) {
    const broken = new Set([...results].flatMap(([{sources}, {faults}]) => (faults.length > 0 ? sources : [])));
    for (const unit of units.filter(({sources}) => !sources.some(name => broken.has(name)))) {
      results.set(unit, await composeSource(place, unit, progress?.onRead ?? (() => () => undefined)));
      progress?.onComposed(results.size, all.length);
    }
  }
  return results;
}
