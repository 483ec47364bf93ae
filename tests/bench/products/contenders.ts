import {join} from 'node:path';
import {buildOf} from '../measure/commands.ts';
import {run} from '../measure/process-run.ts';
import type {Contender} from '../measure/turns.ts';
import {writeManyProducts, writeSource, type Size} from './many.ts';
import {eleventySite, hugoSite, writeItems, type Output} from './peers.ts';

const WRITER = join(import.meta.dirname, 'write-documents.js');

/** The name of every contender, which is a line of the table. */
export const names = {
  cold: 'build, cold',
  unchanged: 'build, nothing changed',
  oneSource: 'build, one source changed',
  hugo: 'Hugo, cold',
  eleventy: 'Eleventy, cold',
  floor: 'stringify and write, cold',
  skip: 'read and skip if equal',
} as const;

/**
 * Returns the peers, which write files of the same number and sizes as a build, and then the builds. Each folder is
 * used in one round only.
 */
export async function contendersIn(folder: string, size: Size, output: Output): Promise<Contender[]> {
  const file = await writeItems(join(folder, 'floor'), output);
  const skipped = join(folder, 'skipped');
  await run([process.execPath, WRITER, file, skipped]);
  return [
    await generatorIn(folder, output),
    {name: names.floor, command: round => [process.execPath, WRITER, file, writtenBy(folder, names.floor, round)]},
    {name: names.skip, command: () => [process.execPath, WRITER, file, skipped, 'skip']},
    ...builds(folder, size),
  ];
}

/** Returns the fastest static generator: Hugo, or Eleventy if Hugo is not installed. */
async function generatorIn(folder: string, output: Output): Promise<Contender> {
  const cwd = join(folder, 'generator');
  const hugo = await hugoSite(cwd, output);
  const name = hugo ? names.hugo : names.eleventy;
  const build = hugo ?? (await eleventySite(cwd, output));
  return {name, against: [names.floor], command: round => build(writtenBy(folder, name, round)), cwd};
}

function builds(folder: string, size: Size): Contender[] {
  const site = (round: number) => siteFolder(folder, round);
  const build = (round: number) => buildOf(site(round));
  return [
    {
      name: names.cold,
      against: [names.floor],
      prepare: round => writeManyProducts(site(round), size, round),
      command: build,
    },
    {name: names.unchanged, against: [names.skip], command: build},
    {
      name: names.oneSource,
      against: [names.skip],
      prepare: round => writeSource(site(round), 0, round + 0.5),
      command: build,
    },
  ];
}

/**
 * Returns the folder of a peer for a round. Each round has another one, because deleting the last one would slow down
 * the next measurements.
 */
export function writtenBy(folder: string, name: string, round: number): string {
  return join(folder, `output-${name.replaceAll(/\W+/g, '-')}-${round}`);
}

/** Returns the folder of the site for a round. */
export function siteFolder(folder: string, round: number): string {
  return join(folder, `site-${round}`);
}
