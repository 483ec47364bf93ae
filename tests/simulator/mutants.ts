import {spawnSync} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import * as esbuild from 'esbuild';
import {PROJECT} from '../../scripts/package/entries.js';

/** A fault that is put into a copy of the code, to see that the simulator finds it. */
interface Mutant {
  readonly fault: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The list of faults: name, file, and the lines that are replaced, as in a patch. An empty line ends each fault. */
const MUTANTS: readonly Mutant[] = (await readFile(new URL('faults.txt', import.meta.url), 'utf8'))
  .trimEnd()
  .split('\n\n')
  .map(entry => {
    const [fault = '', file = '', ...lines] = entry.split('\n');
    const marked = (mark: string) => lines.filter(line => line.startsWith(mark)).map(line => line.slice(1));
    return {fault, file, from: marked('-').join('\n'), to: marked('+').join('\n')};
  });

const [, , SEEDS = '1-300', words = ''] = process.argv;

for (const mutant of MUTANTS.filter(({fault}) => new RegExp(words).test(fault)))
  process.stdout.write(`| ${mutant.fault} | ${await found(mutant)} |\n`);

/** The first violation that the simulator reports for a mutant. */
async function found({file, from, to}: Mutant): Promise<string> {
  const folder = await mkdtemp(join(PROJECT, 'dist/mutant-'));
  const outfile = join(folder, 'main.mjs');
  const source = await readFile(join(PROJECT, file), 'utf8');
  if (!source.includes(from)) throw new Error(`${file} does not contain ${from}`);
  await esbuild.build({
    entryPoints: [join(PROJECT, 'tests/simulator/first-violation.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    plugins: [
      {
        name: 'mutant',
        setup(build) {
          build.onLoad({filter: /\.ts$/}, ({path}) =>
            path === join(PROJECT, file) ? {contents: source.replace(from, () => to), loader: 'ts'} : undefined,
          );
        },
      },
    ],
  });
  const {stdout} = spawnSync(process.execPath, [outfile, SEEDS], {cwd: PROJECT, encoding: 'utf8'});
  await rm(folder, {recursive: true});
  return stdout.trim() || `not found in the seeds ${SEEDS}`;
}
