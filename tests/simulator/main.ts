import {parseArgs} from 'node:util';
import {shrink} from './shrink.ts';
import {firstViolation, simulate} from './simulate.ts';
import {Random} from './random.ts';
import {conditionsOf, type Conditions} from './conditions.ts';

const HELP = `Runs the gate in simulated worlds with faults, and checks that no buyer is charged twice and no document is given away.

Usage: npm run simulate -- [--seeds 1-200] [--first [--only condition]] [--set condition=value …]

  --seeds A-B  the seeds to run (default: 1-200); a single seed prints all events
  --first      prints only the first seed that breaks a rule
  --only C     with --first, skips the seeds without this condition, such as settles
  --set C=V    replaces a condition of the seeds, as a violation prints it

Exit codes: 0 no rule was broken, 1 a rule was broken, 2 wrong usage.
`;

try {
  const {help, isFirst, only, first, last, changes} = usage();
  if (help) process.stdout.write(HELP);
  else await (isFirst ? printFirst(first, last, only) : run(first, last, changes));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\nTry --help.\n`);
  process.exitCode = 2;
}

/** Reads the command line. Throws `TypeError`, like `parseArgs`, if it is wrong. */
function usage() {
  const {
    help,
    seeds,
    set,
    first: isFirst,
    only,
  } = parseArgs({
    options: {
      help: {type: 'boolean', short: 'h', default: false},
      first: {type: 'boolean', default: false},
      only: {type: 'string'},
      seeds: {type: 'string', default: '1-200'},
      set: {type: 'string', multiple: true, default: []},
    },
  }).values;
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(seeds) ?? [];
  if (first === undefined || Number(last) < Number(first))
    throw new TypeError('--seeds: expected a number or a range such as 1-200.');
  const known = conditionsOf(new Random(0));
  const changes = set.map(pair => {
    const [, name = '', value = ''] = /^(\w+)=(true|false|-?\d+(?:\.\d+)?)$/.exec(pair) ?? [];
    if (!(name in known))
      throw new TypeError(`--set: expected condition=value, with one of ${Object.keys(known).join(', ')}.`);
    return [name, JSON.parse(value) as unknown];
  });
  if (only !== undefined && !(only in known))
    throw new TypeError(`--only: expected one of ${Object.keys(known).join(', ')}.`);
  return {
    help,
    isFirst,
    only: only as keyof Conditions | undefined,
    first: Number(first),
    last: Number(last),
    changes: Object.fromEntries(changes) as Partial<Conditions>,
  };
}

async function printFirst(first: number, last: number, only?: keyof Conditions): Promise<void> {
  const found = await firstViolation(first, last, only);
  if (found) process.stdout.write(`${found.seed} | ${found.violation}\n`);
  process.exit(found ? 1 : 0);
}

async function run(first: number, last: number, changes: Partial<Conditions>): Promise<void> {
  const start = process.cpuUsage();
  let [purchases, violations] = [0, 0];
  for (let seed = first; seed <= last; seed++) {
    const result = await simulate(seed, {changes, isTraced: first === last});
    purchases += result.purchases;
    if (first === last) process.stdout.write(`${result.events.join('\n')}\n`);
    if (result.violation === undefined) continue;
    violations += 1;
    const {result: shortest, line} = first === last ? {result, line: ''} : await shrink(result, changes);
    process.stdout.write(`seed ${seed}: ${result.violation}\n${shortest.events.slice(-40).join('\n')}\n${line}\n`);
  }
  const {user, system} = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  process.stdout.write(
    `${last - first + 1} seeds, ${purchases} purchases, ${violations} violations, ${(purchases / seconds).toFixed(0)} purchases a second of processor time\n`,
  );
  process.exitCode = violations > 0 ? 1 : 0;
}
