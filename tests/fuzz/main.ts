import {parseArgs} from 'node:util';
import {fuzz, TARGETS} from './run.ts';

const HELP = `Runs the build, the readers of catalogues and rules, and the gate with random input until something fails.

Usage: npm run fuzz -- [--minutes 10] [--seed N] [--path P] [target]

  --minutes N  for all targets together (default: 10)
  --seed N     the same inputs again (default: random)
  --path P     begin at this run of the seed, which a failure names
  target       one of ${TARGETS.map(({name}) => name).join(', ')} (default: all)

Exit codes: 0 nothing was found, 1 something was: its seed is printed, 2 wrong usage.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<0 | 1 | 2> {
  let wanted;
  try {
    wanted = usage(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nTry --help.\n`);
    return 2;
  }
  if (wanted.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const {targets, minutes, seed, path} = wanted;
  let code: 0 | 1 = 0;
  for (const target of targets) {
    const {runs, failure} = await fuzz(target, {ms: (minutes * 60_000) / targets.length, seed, path});
    if (failure !== undefined) code = 1;
    process.stdout.write(`${failure ?? `${target.name}: fine`}, seed ${seed}, ${runs} runs\n`);
  }
  return code;
}

function usage(args: readonly string[]) {
  const {values, positionals} = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      minutes: {type: 'string', default: '10'},
      seed: {type: 'string'},
      path: {type: 'string'},
      help: {type: 'boolean', default: false},
    },
  });
  const [name, ...others] = positionals;
  const targets = TARGETS.filter(target => name === undefined || target.name === name);
  const [minutes, seed] = [Number(values.minutes), Number(values.seed ?? Date.now() % 2 ** 31)];
  if (targets.length === 0 || others.length > 0) throw new Error(`no target ${positionals.join(' ')}`);
  if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error('--minutes and --seed need numbers');
  return {...values, targets, minutes, seed};
}
