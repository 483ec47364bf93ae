import {existsSync} from 'node:fs';
import {readFile, writeFile} from 'node:fs/promises';
import {simulate} from '../simulator/simulate.ts';

// Runs the seeds with each mutant in this process, and prints a line for each: its id and what killed it, or "survived". A dot after
// each seed shows that it makes progress. Arguments: a file with the ids, the last seed, and a file that remembers which seed runs which
// mutant.

interface Stryker {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: {readonly perTest: Coverage};
}

/** How often each seed runs each mutant. */
type Coverage = Record<string, Record<string, number>>;

const [, , idsFile = '', last = '200', coverageFile = ''] = process.argv;
const stryker = ((globalThis as {__stryker__?: Stryker}).__stryker__ ??= {});
let crash: unknown;
process.on('unhandledRejection', error => (crash = error));
process.on('uncaughtException', error => (crash = error));

const ids = JSON.parse(await readFile(idsFile, 'utf8')) as string[];
const coverage = existsSync(coverageFile)
  ? (JSON.parse(await readFile(coverageFile, 'utf8')) as Coverage)
  : await cover();
for (const id of ids) process.stdout.write(`${id} ${await killerOf(id)}\n`);
process.exit();

async function cover(): Promise<Coverage> {
  for (let seed = 1; seed <= Number(last); seed++) {
    stryker.currentTestId = String(seed);
    const {violation} = await simulate(seed);
    if (violation !== undefined) throw new Error(`seed ${seed} breaks a rule without a mutant: ${violation}`);
    process.stdout.write('.\n');
  }
  stryker.currentTestId = undefined;
  const {perTest = {}} = stryker.mutantCoverage ?? {};
  await writeFile(coverageFile, JSON.stringify(perTest));
  return perTest;
}

async function killerOf(id: string): Promise<string> {
  // A mutant that is chosen by the environment also counts while modules load.
  const isOfProcess = process.env['__STRYKER_ACTIVE_MUTANT__'] === id;
  for (const [seed, counts] of Object.entries(coverage)) {
    const count = counts[id] ?? 0;
    if (count === 0 && !isOfProcess) continue;
    Object.assign(stryker, {activeMutant: id, hitCount: 0, hitLimit: 1_000 + 100 * count});
    crash = undefined;
    const {violation} = await simulate(Number(seed)).catch((error: unknown) => ({violation: String(error)}));
    stryker.activeMutant = undefined;
    process.stdout.write('.\n');
    if (violation !== undefined || crash !== undefined)
      return `seed ${seed}: ${violation ?? String(crash)}`.split('\n', 1)[0] ?? '';
  }
  return 'survived';
}
