import {simulate} from '../simulator/simulate.ts';
import {work} from './worker.ts';

const SEEDS = 200;

/** Each seed of the simulator is a test. */
await work(
  Array.from({length: SEEDS}, (_, at) => ({
    name: `seed ${at + 1}`,
    async run() {
      const {violation} = await simulate(at + 1);
      if (violation !== undefined) throw new Error(violation);
    },
  })),
);
