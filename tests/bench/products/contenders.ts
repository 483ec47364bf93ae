import {join} from 'node:path';
import {buildsOf, type Build} from '../measure/builds.ts';
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
export async function contendersIn(
  folder: string,
  size: Size,
  output: Output,
  former: string | undefined,
): Promise<Contender[]> {
  const file = await writeItems(join(folder, 'floor'), output);
  const skipped = join(folder, 'skipped');
  await run([process.execPath, WRITER, file, skipped]);
  return [
    await generatorIn(folder, output),
    {name: names.floor, command: round => [process.execPath, WRITER, file, writtenBy(folder, names.floor, round)]},
    {name: names.skip, command: () => [process.execPath, WRITER, file, skipped, 'skip']},
    ...buildsOf(sitesIn(folder), builds(size), former),
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

function builds(size: Size): Build[] {
  return [
    {
      name: names.cold,
      against: [names.floor],
      prepare: (root, round) => writeManyProducts(root, size, round),
    },
    {name: names.unchanged, against: [names.skip]},
    {
      name: names.oneSource,
      against: [names.skip],
      prepare: (root, round) => writeSource(root, 0, round + 0.5),
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

/** Returns the path of the sites, without their rounds. */
export function sitesIn(folder: string): string {
  return join(folder, 'site');
}
