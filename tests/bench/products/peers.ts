import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import glob from 'fast-glob';
import {which} from 'zx';
import {encode} from '../../../shared/encode.ts';
import {binary} from '../measure/commands.ts';
import type {Command} from '../measure/process-run.ts';

/** What builds a site into a folder. */
export type BuildInto = (output: string) => Command;

/** What the peers make two documents of. */
export interface Item {
  readonly name: string;
  /** Makes the documents as large as a sample is: 1.07 KB. */
  readonly note: string;
  readonly figures: Readonly<Record<string, number>>;
}

const NOTE_LENGTH = 925;

/** As many items as there are products; each is written twice, as a sample and as a paid document. */
export function itemsOf(count: number): Item[] {
  return Array.from({length: count}, (_, index) => {
    const note = `Frozen source: list-${index % 100} as of 2026-05-01T12:00:00.000Z. `;
    return {
      name: `share${index}`,
      note: note.repeat(Math.ceil(NOTE_LENGTH / note.length)).slice(0, NOTE_LENGTH),
      figures: {rows_n: 40, soft_fail_n: 10, soft_fail_ratio: 0.25, total: index},
    };
  });
}

/** Writes the items as one JSON file, which the peers that are scripts read. Returns its path. */
export async function writeItems(folder: string, items: readonly Item[]): Promise<string> {
  await mkdir(folder, {recursive: true});
  const file = join(folder, 'items.json');
  await writeFile(file, JSON.stringify(items));
  return file;
}

const hugoDocument = {mediaType: 'application/json', isPlainText: true};

/** Two formats a page, one without a suffix, and nothing that Hugo makes of its own accord. */
const hugoConfig = {
  baseURL: 'https://bench.example/',
  disableKinds: ['home', 'section', 'taxonomy', 'term', 'RSS', 'sitemap', 'robotsTXT', '404'],
  outputFormats: {sample: {...hugoDocument, baseName: 'sample'}, paid: {...hugoDocument, baseName: 'paid'}},
  outputs: {page: ['sample', 'paid']},
};

const hugoTemplate =
  '{{ dict "name" .Params.name "note" .Params.note "figures" .Params.figures | jsonify (dict "indent" "  ") }}\n';

/** Writes a site for Hugo; returns what builds it into a folder, or undefined where Hugo is not installed. */
export async function hugoSite(folder: string, items: readonly Item[]): Promise<BuildInto | undefined> {
  const program = await which('hugo', {nothrow: true});
  if (program === null) return undefined;
  await mkdir(join(folder, 'layouts/_default'), {recursive: true});
  await mkdir(join(folder, 'content'));
  await writeFile(join(folder, 'config.json'), JSON.stringify(hugoConfig));
  for (const format of ['sample', 'paid'])
    await writeFile(join(folder, `layouts/_default/single.${format}.json`), hugoTemplate);
  for (const item of items) await writeFile(join(folder, `content/${item.name}.md`), encode(item));
  return output => [program, '--destination', output, '--cacheDir', join(folder, 'cache'), '--quiet'];
}

/** A template that writes one document an item; plain JavaScript, the fastest that Eleventy has. */
const eleventyTemplate = (permalink: string) => `module.exports = class {
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
export async function eleventySite(folder: string, items: readonly Item[]): Promise<BuildInto> {
  await writeItems(join(folder, '_data'), items);
  await writeFile(join(folder, 'samples.11ty.cjs'), eleventyTemplate('/api/v1/samples/${item.name}.json'));
  await writeFile(join(folder, 'paid.11ty.cjs'), eleventyTemplate('/api/v1/${item.name}'));
  return output => [process.execPath, binary('eleventy'), `--output=${output}`, '--quiet'];
}

/** How many documents lie below a folder, and how large they are together. */
export interface Documents {
  readonly count: number;
  readonly bytes: number;
}

export async function documentsBelow(folder: string): Promise<Documents> {
  const files = await glob('**', {cwd: folder, dot: true, stats: true});
  return {count: files.length, bytes: files.reduce((sum, {stats}) => sum + (stats?.size ?? 0), 0)};
}
