import {Command, InvalidArgumentError} from 'commander';
import {simulate, type Result} from './simulate.ts';
import {Random} from './random.ts';
import {conditionsOf, type Conditions} from './conditions.ts';

const CONDITIONS = conditionsOf(new Random(0));
/** Conditions of which a world needs at least one. */
const NEEDED = ['gates', 'intentsPerBuyer'];

const {seeds = seedsOf('1-200'), set = {}} = new Command('npm run simulate --')
  .description(
    'Runs the gate in simulated worlds with faults, and checks what buyers pay and get. Ends with 1 if a rule is broken.',
  )
  .option('--seeds <range>', 'the seeds to run (default: 1-200); a single seed prints all events', seedsOf)
  .option('--set <condition=value>', 'replaces a condition of the seeds, as a violation prints it', changed)
  .exitOverride(({exitCode}) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{seeds?: readonly number[]; set?: Partial<Conditions>}>();
await run(seeds, set);

function seedsOf(range: string): number[] {
  const [from = Number.NaN, to = from] = /^\d+(-\d+)?$/.test(range) ? range.split('-').map(Number) : [];
  if (!(from <= to)) throw new InvalidArgumentError('Expected a number or a range such as 1-200.');
  return Array.from({length: to - from + 1}, (_, index) => from + index);
}

/** Adds a change to earlier ones. */
function changed(pair: string, changes: Partial<Conditions> = {}): Partial<Conditions> {
  const [, name = '', value = ''] = /^(\w+)=(true|false|-?\d+(?:\.\d+)?)$/.exec(pair) ?? [];
  if (!(name in CONDITIONS)) throw new InvalidArgumentError(`Expected one of ${Object.keys(CONDITIONS).join(', ')}.`);
  return {...changes, [name]: JSON.parse(value) as unknown};
}

async function run(seeds: readonly number[], changes: Partial<Conditions>): Promise<void> {
  const start = process.cpuUsage();
  const isTraced = seeds.length === 1;
  let [purchases, violations] = [0, 0];
  for (const seed of seeds) {
    const result = await simulate(seed, changes, isTraced);
    purchases += result.purchases;
    if (isTraced) process.stdout.write(`${result.events.join('\n')}\n`);
    if (result.violation === undefined) continue;
    violations += 1;
    const {result: shortest, line} = isTraced ? {result, line: ''} : await shrink(result, changes);
    process.stdout.write(`seed ${seed}: ${result.violation}\n${shortest.events.slice(-40).join('\n')}\n${line}\n`);
  }
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
