import {parseArgs} from 'node:util';
import {shrink} from './shrink.ts';
import {simulate} from './simulate.ts';

const HELP = `Runs the gate in simulated worlds with faults, and checks that no buyer is charged twice and no document is given away.

Usage: npm run simulate -- [--seeds 1-200] [--set condition=value …]

  --seeds A-B  the seeds to run (default: 1-200); a single seed prints all events
  --set C=V    replaces a condition of the seeds, as a violation prints it

Exit codes: 0 no rule was broken, 1 a rule was broken, 2 wrong usage.
`;

const {values} = parseArgs({
  options: {
    help: {type: 'boolean', short: 'h', default: false},
    seeds: {type: 'string', default: '1-200'},
    set: {type: 'string', multiple: true, default: []},
  },
});
const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(values.seeds) ?? [];
if (values.help) process.stdout.write(HELP);
else if (first === undefined) {
  process.stderr.write(`${HELP}\n--seeds: expected a number or a range such as 1-200.\n`);
  process.exitCode = 2;
} else await run(Number(first), Number(last));

async function run(first: number, last: number): Promise<void> {
  const pairs = values.set.map(pair => pair.split('=') as [string, string]);
  const changes = Object.fromEntries(pairs.map(([name, value]) => [name, JSON.parse(value) as unknown]));
  const start = performance.now();
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
  const seconds = (performance.now() - start) / 1000;
  process.stdout.write(
    `${last - first + 1} seeds, ${purchases} purchases, ${violations} violations, ${(purchases / seconds).toFixed(0)} purchases a second\n`,
  );
  process.exitCode = violations > 0 ? 1 : 0;
}
