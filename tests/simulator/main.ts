import {Command, InvalidArgumentError} from 'commander';
import {simulate, type Result} from './simulate.ts';
import {Random} from './random.ts';
import {TOKEN} from './keys.ts';
import {conditionsOf, type Conditions} from './conditions.ts';

type Changes = Partial<Conditions>;

const CONDITIONS = conditionsOf(new Random(0));

const {seeds = seedsOf('1-200'), set = {}} = new Command('npm run simulate --')
  .description('Checks what buyers pay and get in simulated worlds with faults. Ends with 1 if a rule is broken.')
  .option('--seeds <range>', 'the seeds to run (default: 1-200); a single seed prints all events', seedsOf)
  .option('--set <condition=value>', 'replaces a condition of the seeds, as a violation prints it', changed)
  .exitOverride(({exitCode}) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{seeds?: readonly number[]; set?: Changes}>();
await run(seeds, set);

function seedsOf(range: string): number[] {
  const [from = Number.NaN, to = from] = /^\d+(-\d+)?$/.test(range) ? range.split('-').map(Number) : [];
  if (!(from <= to)) throw new InvalidArgumentError('Expected a number or a range such as 1-200.');
  return Array.from({length: to - from + 1}, (_, index) => from + index);
}

function changed(pair: string, changes: Changes = {}): Changes {
  const [, name = '', value = ''] = /^(\w+)=(true|false|-?\d+(?:\.\d+)?)$/.exec(pair) ?? [];
  if (!(name in CONDITIONS)) throw new InvalidArgumentError(`Expected one of ${Object.keys(CONDITIONS).join(', ')}.`);
  return {...changes, [name]: JSON.parse(value) as unknown};
}

async function run(seeds: readonly number[], changes: Changes): Promise<void> {
  const start = process.cpuUsage();
  const isTraced = seeds.length === 1;
  let [purchases, violations] = [0, 0];
  for (const seed of seeds) {
    const result = await simulate(seed, changes, isTraced);
    purchases += result.purchases;
    if (isTraced) process.stdout.write(`${result.events.join('\n')}\n`);
    if (result.violation === undefined) continue;
    violations += 1;
    if (!isTraced) process.stdout.write(await shortestHistory(result, changes));
  }
  const {user, system} = process.cpuUsage(start);
  const speed = `${((purchases * 1e6) / (user + system)).toFixed(0)} purchases a second of processor time`;
  process.stdout.write(`${seeds.length} seeds, ${purchases} purchases, ${violations} violations, ${speed}\n`);
  process.exitCode = violations > 0 ? 1 : 0;
}

/** Describes a violation: what happened to its accounts in the smallest world that still breaks a rule, and the line that replays it. */
async function shortestHistory({seed, conditions, violation}: Result, changes: Changes): Promise<string> {
  const smallest = await shrink(seed, conditions, changes);
  const {events, violation: rule = ''} = await simulate(seed, smallest, true);
  const about = addressesIn(rule);
  const history = events.filter(event => {
    const named = addressesIn(event);
    return named.length > 0 ? named.some(each => about.includes(each)) : !/ (answers|time) /.test(event);
  });
  const line = Object.entries(smallest).map(([name, value]) => ` --set ${name}=${String(value)}`);
  const all = `${history.length} of ${events.length} events. All: npm run simulate -- --seeds ${seed}${line.join('')}`;
  return `seed ${seed}: ${violation}\n${history.join('\n')}\n${all}\n`;
}

/** The accounts and nonces that a text names, each by its first digits. */
function addressesIn(text: string): string[] {
  return (text.toLowerCase().match(/0x[\da-f]{4}/g) ?? []).filter(name => !TOKEN.startsWith(name));
}

/** Returns conditions with fewer actors and faults under which the seed still breaks a rule. */
async function shrink(seed: number, conditions: Conditions, changes: Changes): Promise<Changes> {
  for (const [name, value] of Object.entries({...conditions, ...changes})) {
    // A world needs at least one of each of these.
    const least = ['gates', 'intentsPerBuyer'].includes(name) ? 1 : 0;
    const smaller = typeof value === 'boolean' ? [false] : [least, 1, ...(Number.isInteger(value) ? [value >> 1] : [])];
    for (const candidate of smaller.filter(each => Number(each) >= least && each < value)) {
      const tried = {...changes, [name]: candidate};
      if ((await simulate(seed, tried)).violation !== undefined) return shrink(seed, conditions, tried);
    }
  }
  return changes;
}
