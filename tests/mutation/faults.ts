import {spawnSync} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import * as esbuild from 'esbuild';
import {PROJECT} from '../../scripts/package/entries.js';
import {quickRecovery} from '../../scripts/package/quick-recovery.js';
import {newestNode} from '../extra/extra.ts';

// Puts each fault of faults.tsv into a copy of the code, and prints the first seed that finds it. A table of tabs:
// fault, file, code, replacement, with \n for the end of a line. Rows of one fault are replaced together. Seeds with worlds that never run the
// code are skipped.

const [, , SEEDS = '1-300', words = ''] = process.argv;
const [, ...rows] = (await readFile(new URL('faults.tsv', import.meta.url), 'utf8')).trimEnd().split('\n');
const faults = new Map<string, Replacement[]>();
for (const row of rows) {
  const [fault = '', file = '', from = '', to = ''] = row
    .split('\t')
    .map(cell => cell.replaceAll(String.raw`\n`, '\n'));
  faults.set(fault, [...(faults.get(fault) ?? []), {file: join(PROJECT, file), from, to}]);
}

for (const [fault, replacements] of faults)
  if (new RegExp(words).test(fault)) process.stdout.write(`| ${fault} | ${await firstSeed(fault, replacements)} |\n`);

interface Replacement {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The first seed that breaks a rule after these replacements, and the rule. */
async function firstSeed(fault: string, replacements: readonly Replacement[]): Promise<string> {
  const folder = await mkdtemp(join(PROJECT, 'dist/fault-'));
  const outfile = join(folder, 'main.mjs');
  const mutated = new Map<string, string>();
  for (const {file, from, to} of replacements) {
    const source = mutated.get(file) ?? (await readFile(file, 'utf8'));
    if (!source.includes(from)) throw new Error(`${file} does not contain ${from}`);
    mutated.set(
      file,
      source.replace(from, () => to),
    );
  }
  const plugin: esbuild.Plugin = {
    name: 'mutant',
    setup(build) {
      build.onLoad({filter: /\.ts$/}, ({path}) => {
        const contents = mutated.get(path);
        return contents === undefined ? undefined : {contents, loader: 'ts'};
      });
    },
  };
  await esbuild.build({
    ...{
      entryPoints: [join(PROJECT, 'tests/mutation/first-seed.ts')],
      outfile,
      plugins: [plugin, quickRecovery],
      logLevel: 'error',
    },
    ...{bundle: true, packages: 'external', format: 'esm', platform: 'node', target: 'node20'},
  });
  const only = replacements.some(({file}) => /settler|transactions/.test(file))
    ? 'settles'
    : /Worker|Durable/.test(fault)
      ? 'areWorkers'
      : undefined;
  const args = ['--disable-warning=ExperimentalWarning', outfile, SEEDS, ...(only ? [only] : [])];
  const {stdout, stderr} = spawnSync(newestNode, args, {cwd: PROJECT, encoding: 'utf8'});
  await rm(folder, {recursive: true});
  return stdout.split('\n', 1)[0] || stderr.slice(0, 300) || `not found in the seeds ${SEEDS}`;
}
