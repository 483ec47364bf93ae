import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import glob from 'fast-glob';
import {which} from 'zx';
import {encode} from '../../../shared/encode.ts';
import {binary} from '../measure/commands.ts';
import type {Command} from '../measure/process-run.ts';

/** Returns the command that builds a site into a folder. */
export type BuildInto = (output: string) => Command;

/** The files of a peer: for each product one file of each of these formats, and one file about all products. */
export interface Output {
  readonly products: number;
  /** The mean size of a product's files in bytes, by format. A format is a folder with one file extension. */
  readonly formats: Readonly<Record<string, number>>;
  /** The size of the files about all products in bytes per product. */
  readonly listed: number;
}

/** The input for a product's files. */
interface Item {
  readonly name: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** The folders of a product's files, with their file extension. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  paid: /^public\/api\/v1\/[a-z0-9]+$/,
  sample: /^public\/api\/v1\/samples\//,
  history: /^public\/api\/v1\/history\//,
  schema: /^public\/api\/v1\/schemas\/[a-z0-9]+\.json$/,
  sampleschema: /^public\/api\/v1\/schemas\/[a-z0-9]+\.sample\.json$/,
  page: /^public\/products\//,
};

/** Measures the files of a build below its root. */
export async function outputOf(root: string, products: number): Promise<Output> {
  const files = await glob(['public/**', 'paywall/rules/**'], {cwd: root, dot: true, stats: true});
  const bytesIn = (pattern: RegExp) =>
    files.filter(({path}) => pattern.test(path)).reduce((sum, {stats}) => sum + (stats?.size ?? 0), 0);
  const formats = Object.entries(FORMATS).map(([format, path]) => [format, bytesIn(path)] as const);
  const ofProducts = formats.reduce((sum, [, bytes]) => sum + bytes, 0);
  return {
    products,
    formats: Object.fromEntries(formats.map(([format, bytes]) => [format, Math.round(bytes / products)])),
    listed: Math.round((bytesIn(/^/) - ofProducts) / products),
  };
}

function itemsOf({products}: Output): Item[] {
  return Array.from({length: products}, (_, index) => ({
    name: `share${index}`,
    figures: {rows_n: 40, soft_fail_n: 10, soft_fail_ratio: 0.25, total: index},
  }));
}

/** Returns a constant text with which a document of an item has this size. */
function fillerOf(bytes: number): string {
  const text = 'Frozen source: list-0 as of 2026-05-01T12:00:00.000Z. ';
  const ofItem = encode({
    name: 'share5000',
    figures: itemsOf({products: 1, formats: {}, listed: 0})[0]?.figures,
    note: '',
  });
  return text.repeat(Math.ceil(bytes / text.length)).slice(0, Math.max(0, bytes - ofItem.length - 3));
}

/** Writes the input of the minimal script as one JSON file. Returns its path. */
export async function writeItems(folder: string, output: Output): Promise<string> {
  await mkdir(folder, {recursive: true});
  const file = join(folder, 'items.json');
  const fillers = Object.entries(output.formats).map(([format, bytes]) => [format, fillerOf(bytes)] as const);
  await writeFile(
    file,
    JSON.stringify({items: itemsOf(output), fillers: Object.fromEntries(fillers), listed: fillerOf(output.listed)}),
  );
  return file;
}

/** Writes a site for Hugo. Returns the command that builds it into a folder, or undefined if Hugo is not installed. */
export async function hugoSite(folder: string, output: Output): Promise<BuildInto | undefined> {
  const program = await which('hugo', {nothrow: true});
  if (program === null) return undefined;
  const formats = Object.entries(output.formats);
  const json = {mediaType: 'application/json', isPlainText: true};
  const config = {
    baseURL: 'https://bench.example/',
    // No extra pages, and no folder for each page.
    disableKinds: ['section', 'taxonomy', 'term', 'RSS', 'sitemap', 'robotsTXT', '404'],
    uglyURLs: true,
    outputFormats: {
      ...Object.fromEntries(formats.map(([name]) => [name, {...json, path: name}])),
      list: {...json, baseName: 'list'},
    },
    outputs: {page: formats.map(([name]) => name), home: ['list']},
  };
  await mkdir(join(folder, 'layouts/_default'), {recursive: true});
  await mkdir(join(folder, 'content'));
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const document = (filler: string) =>
    `{{ dict "name" .Params.name "figures" .Params.figures "note" "${filler}" | jsonify (dict "indent" "  ") }}\n`;
  for (const [format, bytes] of formats)
    await writeFile(join(folder, `layouts/_default/single.${format}.json`), document(fillerOf(bytes)));
  const list = `{{ range .Site.RegularPages }}${document(fillerOf(output.listed)).trimEnd()}\n{{ end }}`;
  await writeFile(join(folder, 'layouts/index.list.json'), list);
  for (const item of itemsOf(output)) await writeFile(join(folder, `content/${item.name}.md`), encode(item));
  return into => [program, '--destination', into, '--cacheDir', join(folder, 'cache'), '--quiet'];
}

/** Returns a template that writes one document per item. Plain JavaScript is Eleventy's fastest template language. */
const eleventyTemplate = (permalink: string, filler: string) => `const note = ${JSON.stringify(filler)};
module.exports = class {
  data() {
    return {
      pagination: {data: 'items', size: 1, alias: 'item'},
      permalink: ({item}) => \`${permalink}\`,
      eleventyAllowMissingExtension: true,
    };
  }
  render({item}) {
    return JSON.stringify({...item, note}, null, 2) + '\\n';
  }
};
`;

/** Writes a site for Eleventy. Returns the command that builds it into a folder. */
export async function eleventySite(folder: string, output: Output): Promise<BuildInto> {
  await mkdir(join(folder, '_data'), {recursive: true});
  await writeFile(join(folder, '_data/items.json'), JSON.stringify(itemsOf(output)));
  for (const [format, bytes] of Object.entries(output.formats))
    await writeFile(
      join(folder, `${format}.11ty.cjs`),
      eleventyTemplate(`/${format}/\${item.name}.json`, fillerOf(bytes)),
    );
  return into => [process.execPath, binary('eleventy'), `--output=${into}`, '--quiet'];
}

/** The number of files below some folders, and their total size in bytes. */
export interface Files {
  readonly count: number;
  readonly bytes: number;
}

export async function filesBelow(...folders: readonly string[]): Promise<Files> {
  const found = await Promise.all(folders.map(cwd => glob('**', {cwd, dot: true, stats: true})));
  const files = found.flat();
  return {count: files.length, bytes: files.reduce((sum, {stats}) => sum + (stats?.size ?? 0), 0)};
}
