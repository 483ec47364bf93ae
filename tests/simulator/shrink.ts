import {simulate, type Result} from './simulate.ts';
import type {Conditions} from './conditions.ts';

/** Smaller values for a condition, the smallest first. */
function smallerThan(value: number | boolean): readonly (number | boolean)[] {
  if (typeof value === 'boolean') return value ? [false] : [];
  return [0, 1].filter(candidate => candidate < value);
}

/** Conditions that a world cannot do without. */
const AT_LEAST: Partial<Record<keyof Conditions, number>> = {gates: 1, intentsPerBuyer: 1};

/**
 * Looks for a smaller world in which the same seed breaks a rule: fewer actors and fewer kinds of faults. Returns its traced result, and
 * the line that replays it.
 */
export async function shrink(
  failed: Result,
  changes: Partial<Conditions>,
): Promise<{readonly result: Result; readonly line: string}> {
  let smallest: Partial<Conditions> = changes;
  for (const name of Object.keys(failed.conditions) as (keyof Conditions)[]) {
    const value = smallest[name] ?? failed.conditions[name];
    for (const candidate of smallerThan(value)) {
      if (Number(candidate) < (AT_LEAST[name] ?? 0)) continue;
      const tried = {...smallest, [name]: candidate};
      if ((await simulate(failed.seed, {changes: tried})).violation === undefined) continue;
      smallest = tried;
      break;
    }
  }
  const sets = Object.entries(smallest).map(([name, value]) => ` --set ${name}=${String(value)}`);
  return {
    result: await simulate(failed.seed, {changes: smallest, isTraced: true}),
    line: `npm run simulate -- --seeds ${failed.seed}${sets.join('')}`,
  };
}
