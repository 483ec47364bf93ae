import type {Host, Hosted} from '../hosts/host.ts';
import {InputError, mapAll} from '../../shared/fault.ts';
import type {Page} from '../pages/page.ts';
import type {Site} from '../read/site.ts';
import {catalogueOf, entryOf} from './catalogue.ts';
import type {ProductDocuments} from '../documents/documents.ts';
import {type Files} from './files.ts';
import type {ListedFile} from '../../shared/catalogue.ts';
import {isPublic, PUBLIC, RULES_FILE} from '../../shared/paths.ts';
import {InParts, Part} from './in-parts.ts';
import {JSON_TYPE, paths} from '../../shared/paths.ts';
import {ruleEntryOf, ruleOf, rulesDocument} from './rules.ts';
import type {Fingerprint, Text} from '../documents/text.ts';

/** Everything that a build writes. */
export interface Tree {
  /** By path from the root. */
  readonly files: ReadonlyMap<string, Fingerprint>;
  /** Path from the root of the catalogue, which names the documents and is written last. */
  readonly catalogue: string;
  /** The text of the catalogue of a state in which only these files stand as they will. */
  catalogueOf(standing: ReadonlySet<string>): Text;
  /** What hosts have to say, for the summary. */
  readonly notes: readonly string[];
}

const CATALOGUE = PUBLIC + paths.catalogue;

/** Adds pages, rules and each host's files to the documents. Throws `InputError` where the rules do not fit a host. */
export async function treeOf(
  site: Site,
  products: readonly ProductDocuments[],
  hosts: readonly Host[],
  pages: readonly Page[],
  files: Files,
): Promise<Tree> {
  const typed = pages.map(({path, type}) => ({path, type}));
  const ofHosts = await hosted(site, products, hosts, typed, files);
  for (const page of pages) files.put(PUBLIC + page.path, page.compose(site, products));
  const extras = [
    ...typed,
    ...ofHosts.paths.filter(isPublic).map(path => ({path: path.slice(PUBLIC.length), type: typeOf(path)})),
  ];
  const {fingerprints} = files;
  const catalogue = catalogueWith(site, products, fingerprints, extras);
  files.put(CATALOGUE, catalogue(fingerprints));
  return {
    files: fingerprints,
    catalogue: CATALOGUE,
    catalogueOf: standing => files.textOf(CATALOGUE, catalogue(standing)),
    notes: ofHosts.notes,
  };
}

/** Adds the rules and each host's files; the rules of many products are long, and nothing else needs them. */
async function hosted(
  site: Site,
  products: readonly ProductDocuments[],
  hosts: readonly Host[],
  pages: readonly Pick<Page, 'path' | 'type'>[],
  files: Files,
): Promise<{readonly paths: readonly string[]; readonly notes: readonly string[]}> {
  const rules = products.map(({computed}) => ruleOf(computed));
  const composed = await mapAll(hosts, host => composedFor(host, {site, rules, pages}));
  const texts = composed.flatMap(host => [...host.files]);
  for (const [path, text] of texts) files.put(path, text);
  const parts = products.map(({computed}) => new Part(computed.product.name, () => ruleEntryOf(computed)));
  files.put(RULES_FILE, new InParts(rulesDocument(site, parts, ruleFilesOf(composed))));
  return {paths: texts.map(([path]) => path), notes: composed.flatMap(({notes = []}) => notes)};
}

/** What a host needs. Throws `InputError` with what does not fit it, and with the way out. */
function composedFor(host: Host, hosted: Hosted) {
  const {name} = host;
  try {
    return {...host.compose(hosted), name};
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const rule = `may leave out ${name}, which does not take this: files are written for the hosts that are named`;
    throw new InputError([...error.faults, {file: 'data/site.json', field: 'hosts', rule}], {cause: error});
  }
}

/** Each host's rule files, by its name. */
function ruleFilesOf(hosted: readonly {name: string; files: ReadonlyMap<string, string>}[]): Record<string, string[]> {
  return Object.fromEntries(hosted.map(({name, files}) => [name, [...files.keys()].filter(path => !isPublic(path))]));
}

/** The catalogue of the products and extra files all of whose files are among those that stand. */
function catalogueWith(
  site: Site,
  products: readonly ProductDocuments[],
  files: ReadonlyMap<string, Fingerprint>,
  extras: readonly Pick<ListedFile, 'path' | 'type'>[],
): (standing: {has(path: string): boolean}) => InParts {
  const listed = extras
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({path, type}) => {
      const fingerprint = files.get(PUBLIC + path);
      return fingerprint ? [{path, type, ...fingerprint}] : [];
    });
  return standing => {
    const stands = ({path}: {readonly path: string}) => standing.has(PUBLIC + path);
    const standingProducts = products.filter(({sample, paid, others}) => [sample, paid, ...others].every(stands));
    const entries = standingProducts.map(
      documents => new Part(documents.computed.product.name, () => entryOf(site, documents)),
    );
    return new InParts(catalogueOf(site, entries, listed.filter(stands)));
  };
}

/** Content type of a file that a host adds to `public/`. */
function typeOf(path: string): string {
  return path.endsWith('.json') ? JSON_TYPE : 'text/plain; charset=utf-8';
}
