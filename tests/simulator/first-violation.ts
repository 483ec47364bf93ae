import {simulate} from './simulate.ts';

// Prints the first seed of a range that breaks a rule, and the rule.

const [first = 1, last = first] = (process.argv[2] ?? '').split('-').map(Number);
for (let seed = first; seed <= last; seed++) {
  const {violation} = await simulate(seed);
  if (violation === undefined) continue;
  process.stdout.write(`${seed} | ${violation}\n`);
  break;
}
process.exit();
