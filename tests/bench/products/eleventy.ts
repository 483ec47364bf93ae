import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {binary} from '../measure/commands.ts';
import type {Command} from '../measure/process-run.ts';
import {writeItems, type Item} from './items.ts';

/** A template that writes one document an item; plain JavaScript, the fastest that Eleventy has. */
const template = (permalink: string) => `module.exports = class {
  data() {
    return {
      pagination: {data: 'items', size: 1, alias: 'item'},
      permalink: ({item}) => \`${permalink}\`,
      eleventyAllowMissingExtension: true,
    };
  }
  render({item}) {
    return JSON.stringify(item, null, 2) + '\\n';
  }
};
`;

/** Writes a site for Eleventy; returns what builds it into a folder. */
export async function eleventySite(folder: string, items: readonly Item[]): Promise<(output: string) => Command> {
  await mkdir(folder, {recursive: true});
  await writeItems(join(folder, '_data'), items);
  await writeFile(join(folder, 'samples.11ty.cjs'), template('/api/v1/samples/${item.name}.json'));
  await writeFile(join(folder, 'paid.11ty.cjs'), template('/api/v1/${item.name}'));
  return output => [process.execPath, binary('eleventy'), `--output=${output}`, '--quiet'];
}
