import {dirname} from 'node:path';
import {InputError, mapAll} from '../fault.ts';
import type {Host} from '../hosts/host.ts';
import type {Page} from '../pages/page.ts';
import type {Site} from '../read/site.ts';
import {catalogueOf, type ExtraFile} from './catalogue.ts';
import {encode, type ProductDocuments} from './documents.ts';
import {paths} from './paths.ts';
import {ruleOf, rulesDocument} from './rules.ts';

/** Everything that a build writes: bytes by path from the root. */
export interface Tree {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Path from the root of the catalogue, which names the documents and is written last. */
  readonly catalogue: string;
  /** The catalogue of a state in which only these files stand as they will. */
  catalogueOf(standing: ReadonlySet<string>): Buffer;
  /** What hosts have to say, for the summary. */
  readonly notes: readonly string[];
}

const PUBLIC = 'public';
const RULES = 'paywall/rules';
const CATALOGUE = PUBLIC + paths.catalogue;

/** Puts documents, pages, rules and each host's files together. Throws `InputError` where the rules do not fit a host. */
export async function treeOf(
  site: Site,
  products: readonly ProductDocuments[],
  hosts: readonly Host[],
  pages: readonly Page[],
): Promise<Tree> {
  const files = new Map<string, Buffer>();
  const rules = products.map(({computed}) => ruleOf(computed));
  const typed = pages.map(({path, type}) => ({path, type}));
  const hosted = await mapAll(hosts, host => ({...host.compose({site, rules, pages: typed}), name: host.name}));
  const texts = hosted.flatMap(host => [...host.files]);
  for (const {path, bytes} of products.flatMap(({sample, paid, others}) => [sample, paid, ...others]))
    put(files, PUBLIC + path, bytes);
  for (const page of pages) put(files, PUBLIC + page.path, Buffer.from(page.compose(site, products)));
  for (const [path, text] of texts) put(files, path, Buffer.from(text));
  put(files, `${RULES}/rules.json`, encode(rulesDocument(site, rules, ruleFilesOf(hosted))));
  const extras = [
    ...typed,
    ...texts
      .filter(([path]) => isPublic(path))
      .map(([path]) => ({path: path.slice(PUBLIC.length), type: typeOf(path)})),
  ];
  const catalogue = catalogueWith(site, products, files, extras);
  put(files, CATALOGUE, catalogue(files));
  return {files, catalogue: CATALOGUE, catalogueOf: catalogue, notes: hosted.flatMap(({notes = []}) => notes)};
}

/** One owner of every path: none is written twice, and none is outside `public/` and `paywall/rules/`. */
function put(files: Map<string, Buffer>, path: string, bytes: Buffer): void {
  if (files.has(path)) throw new InputError({file: path, rule: 'is written twice'});
  if (path.split('/').includes('..') || !(isPublic(path) || dirname(path) === RULES)) {
    throw new InputError({file: path, rule: `is outside ${PUBLIC}/ and ${RULES}/`});
  }
  files.set(path, bytes);
}

function isPublic(path: string): boolean {
  return path.startsWith(`${PUBLIC}/`);
}

/** Each host's rule files, by its name. */
function ruleFilesOf(hosted: readonly {name: string; files: ReadonlyMap<string, string>}[]): Record<string, string[]> {
  return Object.fromEntries(hosted.map(({name, files}) => [name, [...files.keys()].filter(path => !isPublic(path))]));
}

/** The catalogue of the products and extra files all of whose files are among those that stand. */
function catalogueWith(
  site: Site,
  products: readonly ProductDocuments[],
  files: ReadonlyMap<string, Buffer>,
  extras: readonly Omit<ExtraFile, 'bytes'>[],
): (standing: {has(path: string): boolean}) => Buffer {
  const bytesOf = (path: string) => files.get(PUBLIC + path) ?? Buffer.alloc(0);
  const listed = extras
    .map(extra => ({...extra, bytes: bytesOf(extra.path)}))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return standing => {
    const stands = ({path}: {readonly path: string}) => standing.has(PUBLIC + path);
    const standingProducts = products.filter(({sample, paid, others}) => [sample, paid, ...others].every(stands));
    return encode(
      catalogueOf(
        site,
        standingProducts.map(({computed}) => computed),
        bytesOf,
        listed.filter(stands),
      ),
    );
  };
}

/** Content type of a file that a host adds to `public/`. */
function typeOf(path: string): string {
  return path.endsWith('.json') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
}
