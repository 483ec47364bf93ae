import {firstViolation} from './simulate.ts';

// Prints the first seed of a range that breaks a rule, and the rule.

const [first = 1, last = first] = (process.argv[2] ?? '').split('-').map(Number);
const found = await firstViolation(first, last);
if (found) process.stdout.write(`${found.seed} | ${found.violation}\n`);
process.exit();
