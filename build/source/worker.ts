import {workerData} from 'piscina';
import type {Unit} from '../products/units.ts';
import type {Site} from '../read/site.ts';
import {Stage} from '../write/stage.ts';
import {composeSource, type SourceResult} from './compose-source.ts';
import {Workplace} from './workplace.ts';

/** What a worker thread is started with. */
export interface WorkerPlace {
  readonly root: string;
  readonly site: Site;
  readonly check: boolean;
  readonly moment: number;
  readonly held: ReadonlySet<string>;
}

const {root, site, check, moment, held} = workerData as WorkerPlace;
const place = Workplace.open({root, site, output: new Stage(root, {check}), moment, held, threads: 1});

/** Composes a unit in a thread of its own. */
export default async function compose(unit: Unit): Promise<SourceResult> {
  return composeSource(await place, unit, () => () => undefined);
}
