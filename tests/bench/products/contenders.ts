import {dirname, join} from 'node:path';
import {buildOf} from '../measure/commands.ts';
import {run} from '../measure/process-run.ts';
import type {Contender} from '../measure/turns.ts';
import {writeManyProducts, writeSource, type Size} from './many.ts';
import {documentsBelow, eleventySite, hugoSite, itemsOf, writeItems, type BuildInto} from './peers.ts';

const WRITER = join(import.meta.dirname, 'write-documents.js');

/** The name of every contender: a line of the table. */
export const names = {
  cold: 'build, cold',
  unchanged: 'build, nothing changed',
  oneSource: 'build, one source changed',
  hugo: 'Hugo, cold',
  hugoAgain: 'Hugo, nothing changed',
  eleventy: 'Eleventy, cold',
  eleventyAgain: 'Eleventy, nothing changed',
  floor: 'stringify and write, cold',
  skip: 'read and skip if equal',
} as const;

/** The peers over as many items as there are products, then the builds; each folder is written to in one round only. */
export async function contendersIn(folder: string, size: Size): Promise<Contender[]> {
  const items = itemsOf(size.products);
  const hugo = await hugoSite(join(folder, 'hugo'), items);
  const eleventy = await eleventySite(join(folder, 'eleventy'), items);
  const file = await writeItems(join(folder, 'floor'), items);
  return [
    ...(hugo ? generator(names.hugo, names.hugoAgain, join(folder, 'hugo'), hugo) : []),
    ...generator(names.eleventy, names.eleventyAgain, join(folder, 'eleventy'), eleventy),
    {name: names.floor, command: round => [process.execPath, WRITER, file, outputOf(folder, names.floor, round)]},
    ...builds(folder, size),
  ];
}

/** Where a peer writes in a round: a folder of its own, for deleting the last one would slow down what comes after. */
export function outputOf(folder: string, name: string, round: number): string {
  return join(folder, `output-${name.replaceAll(/\W+/g, '-')}-${round}`);
}

/** A static generator: a build into a fresh folder, and the same once more. */
function generator(cold: string, again: string, cwd: string, build: BuildInto): Contender[] {
  const command = (round: number) => build(outputOf(dirname(cwd), cold, round));
  return [
    {name: cold, against: [names.floor], command, cwd},
    {name: again, against: [names.floor], command, cwd},
  ];
}

/** The builds of a site, and the script that does the least over as many documents. */
function builds(folder: string, size: Size): Contender[] {
  const site = (round: number) => siteFolder(folder, round);
  const build = (round: number) => buildOf(site(round));
  const least = join(folder, 'least');
  const items = join(least, 'items.json');
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
    {
      name: names.skip,
      async prepare(round) {
        if (round > 0) return;
        const {count} = await documentsBelow(join(site(round), 'public/api/v1'));
        await writeItems(least, itemsOf(Math.ceil(count / 2)));
        await run([process.execPath, WRITER, items, join(least, 'output')]);
      },
      command: () => [process.execPath, WRITER, items, join(least, 'output'), 'skip'],
    },
  ];
}

/** The folder of the site that is built in a round. */
export function siteFolder(folder: string, round: number): string {
  return join(folder, `site-${round}`);
}
