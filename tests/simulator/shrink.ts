import {simulate, type Result} from './simulate.ts';
import type {Conditions} from './conditions.ts';

/** Conditions of which a world needs at least one. */
const NEEDED = ['gates', 'intentsPerBuyer'];

/**
 * Looks for a smaller world in which the same seed breaks a rule: fewer actors and fewer kinds of faults. Returns its traced result, and
 * the line that replays it.
 */
export async function shrink({seed, conditions}: Result, changes: Partial<Conditions>) {
  let smallest = changes;
  for (const [name, value] of Object.entries({...conditions, ...changes})) {
    const smaller = typeof value === 'boolean' ? [false] : NEEDED.includes(name) ? [1] : [0, 1];
    for (const candidate of smaller.filter(each => each < value)) {
      const tried = {...smallest, [name]: candidate};
      if ((await simulate(seed, tried)).violation === undefined) continue;
      smallest = tried;
      break;
    }
  }
  const sets = Object.entries(smallest).map(([name, value]) => ` --set ${name}=${String(value)}`);
  const result = await simulate(seed, smallest, true);
  return {result, line: `npm run simulate -- --seeds ${seed}${sets.join('')}`};
}
