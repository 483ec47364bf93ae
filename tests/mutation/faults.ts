import {spawnSync} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import * as esbuild from 'esbuild';
import {PROJECT} from '../../scripts/package/entries.js';
import {quickRecovery} from '../../scripts/package/quick-recovery.js';
import {newestNode} from '../extra/extra.ts';

// Puts each fault of faults.tsv into a copy of the code, and prints the first seed that finds it. A table of tabs:
// fault, file, code, replacement, with \n for the end of a line. Seeds with worlds that never run the code are skipped.

const [, , SEEDS = '1-300', words = ''] = process.argv;
const [, ...rows] = (await readFile(new URL('faults.tsv', import.meta.url), 'utf8')).trimEnd().split('\n');

for (const row of rows) {
  const [fault = '', file = '', from = '', to = ''] = row
    .split('\t')
    .map(cell => cell.replaceAll(String.raw`\n`, '\n'));
  if (new RegExp(words).test(fault)) process.stdout.write(`| ${fault} | ${await firstSeed(fault, file, from, to)} |\n`);
}

/** The first seed that breaks a rule after a replacement in a file, and the rule. */
async function firstSeed(fault: string, file: string, from: string, to: string): Promise<string> {
  const folder = await mkdtemp(join(PROJECT, 'dist/fault-'));
  const [outfile, mutated] = [join(folder, 'main.mjs'), join(PROJECT, file)];
  const source = await readFile(mutated, 'utf8');
  if (!source.includes(from)) throw new Error(`${file} does not contain ${from}`);
  const plugin: esbuild.Plugin = {
    name: 'mutant',
    setup(build) {
      build.onLoad({filter: /\.ts$/}, ({path}) =>
        path === mutated ? {contents: source.replace(from, () => to), loader: 'ts'} : undefined,
      );
    },
  };
  await esbuild.build({
    ...{
      entryPoints: [join(PROJECT, 'tests/simulator/main.ts')],
      outfile,
      plugins: [plugin, quickRecovery],
      logLevel: 'error',
    },
    ...{bundle: true, packages: 'external', format: 'esm', platform: 'node', target: 'node20'},
  });
  const only = /settler|transactions/.test(file) ? 'settles' : /Worker|Durable/.test(fault) ? 'areWorkers' : undefined;
  const args = [
    '--disable-warning=ExperimentalWarning',
    outfile,
    '--seeds',
    SEEDS,
    '--first',
    ...(only ? ['--only', only] : []),
  ];
  const {stdout, stderr} = spawnSync(newestNode, args, {cwd: PROJECT, encoding: 'utf8'});
  await rm(folder, {recursive: true});
  return stdout.split('\n', 1)[0] || stderr.slice(0, 300) || `not found in the seeds ${SEEDS}`;
}
