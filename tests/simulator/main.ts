import {parseArgs} from 'node:util';
import {simulate, type Result} from './simulate.ts';
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

const CONDITIONS = conditionsOf(new Random(0));
/** Conditions of which a world needs at least one. */
const NEEDED = ['gates', 'intentsPerBuyer'];

try {
  await main();
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\nTry --help.\n`);
  process.exitCode = 2;
}

/** Throws `TypeError`, like `parseArgs`, if the command line is wrong. */
async function main(): Promise<void> {
  const {help, seeds, set, first, only} = parseArgs({
    options: {
      help: {type: 'boolean', short: 'h'},
      first: {type: 'boolean', default: false},
      only: {type: 'string'},
      seeds: {type: 'string', default: '1-200'},
      set: {type: 'string', multiple: true, default: []},
    },
  }).values;
  const [from = Number.NaN, to = from] = /^\d+(-\d+)?$/.test(seeds) ? seeds.split('-').map(Number) : [];
  if (!(from <= to)) throw new TypeError('--seeds: expected a number or a range such as 1-200.');
  const changes = set.map(pair => {
    const [, name = '', value = ''] = /^(\w+)=(true|false|-?\d+(?:\.\d+)?)$/.exec(pair) ?? [];
    return [condition('--set', name), JSON.parse(value) as unknown];
  });
  const needed = only === undefined ? undefined : condition('--only', only);
  const all = Array.from({length: to - from + 1}, (_, index) => from + index);
  const chosen = needed ? all.filter(seed => conditionsOf(new Random(seed))[needed]) : all;
  if (help) process.stdout.write(HELP);
  else await run(chosen, Object.fromEntries(changes) as Partial<Conditions>, first);
}

function condition(option: string, name: string): keyof Conditions {
  if (name in CONDITIONS) return name as keyof Conditions;
  throw new TypeError(`${option}: expected a condition: ${Object.keys(CONDITIONS).join(', ')}.`);
}

async function run(seeds: readonly number[], changes: Partial<Conditions>, isFirst: boolean): Promise<void> {
  const start = process.cpuUsage();
  const isTraced = seeds.length === 1 && !isFirst;
  let [purchases, violations] = [0, 0];
  for (const seed of seeds) {
    const result = await simulate(seed, changes, isTraced);
    purchases += result.purchases;
    if (isTraced) process.stdout.write(`${result.events.join('\n')}\n`);
    if (result.violation === undefined) continue;
    violations += 1;
    if (isFirst) {
      process.stdout.write(`${seed} | ${result.violation}\n`);
      break;
    }
    const {result: shortest, line} = isTraced ? {result, line: ''} : await shrink(result, changes);
    process.stdout.write(`seed ${seed}: ${result.violation}\n${shortest.events.slice(-40).join('\n')}\n${line}\n`);
  }
  if (isFirst) process.exit(violations);
  const {user, system} = process.cpuUsage(start);
  const speed = `${((purchases * 1e6) / (user + system)).toFixed(0)} purchases a second of processor time`;
  process.stdout.write(`${seeds.length} seeds, ${purchases} purchases, ${violations} violations, ${speed}\n`);
  process.exitCode = violations > 0 ? 1 : 0;
}

/** Looks for fewer actors and faults with which the seed breaks a rule. Returns the traced result, and the line that replays it. */
async function shrink({seed, conditions}: Result, changes: Partial<Conditions>) {
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
