import {conditionsOf, type Conditions} from '../simulator/conditions.ts';
import {Random} from '../simulator/random.ts';
import {simulate} from '../simulator/simulate.ts';

// Prints the first seed of a range that breaks a rule, and the rule. With a condition, it skips seeds without it.

const [, , range = '1-300', condition] = process.argv;
const [from = 1, to = from] = range.split('-').map(Number);
for (let seed = from; seed <= to; seed++) {
  if (condition !== undefined && !conditionsOf(new Random(seed))[condition as keyof Conditions]) continue;
  const {violation} = await simulate(seed);
  if (violation === undefined) continue;
  process.stdout.write(`${seed} | ${violation}\n`);
  process.exit();
}
