import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {which} from 'zx';
import type {Command} from '../measure/process-run.ts';
import type {Item} from './items.ts';

const document = {mediaType: 'application/json', isPlainText: true};

/** Two formats a page, one without a suffix, and nothing that Hugo makes of its own accord. */
const config = {
  baseURL: 'https://bench.example/',
  disableKinds: ['home', 'section', 'taxonomy', 'term', 'RSS', 'sitemap', 'robotsTXT', '404'],
  outputFormats: {sample: {...document, baseName: 'sample'}, paid: {...document, baseName: 'paid'}},
  outputs: {page: ['sample', 'paid']},
};

const template =
  '{{ dict "name" .Params.name "note" .Params.note "figures" .Params.figures | jsonify (dict "indent" "  ") }}\n';

/** Writes a site for Hugo; returns what builds it into a folder, or undefined where Hugo is not installed. */
export async function hugoSite(
  folder: string,
  items: readonly Item[],
): Promise<((output: string) => Command) | undefined> {
  const program = await which('hugo', {nothrow: true});
  if (program === null) return undefined;
  await mkdir(join(folder, 'layouts/_default'), {recursive: true});
  await mkdir(join(folder, 'content'));
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  for (const format of ['sample', 'paid'])
    await writeFile(join(folder, `layouts/_default/single.${format}.json`), template);
  for (const item of items)
    await writeFile(join(folder, `content/${item.name}.md`), `${JSON.stringify(item, undefined, 2)}\n`);
  return output => [program, '--destination', output, '--cacheDir', join(folder, 'cache'), '--quiet'];
}
