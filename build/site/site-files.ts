import {dirname} from 'node:path';
import {InputError, mapAll, refuse} from '../../shared/fault.ts';
import {CATALOGUE_FILE, isPublic, JSON_TYPE, PUBLIC, RULES, RULES_FILE} from '../../shared/paths.ts';
import type {ProductRecord} from '../documents/record.ts';
import {notesOn} from '../notes/notes.ts';
import {encode} from '../documents/text.ts';
import type {Host, HostFiles} from '../hosts/host.ts';
import type {Json} from '../kinds/kind.ts';
import type {Page} from '../pages/page.ts';
import type {Site} from '../read/site.ts';
import type {Output, Written} from '../write/stage.ts';
import type {ListedFile} from '../../shared/shapes.ts';
import {catalogueText} from './catalogue.ts';
import {ruleOf, rulesDocument} from './rules.ts';

/** The files that tell of all products, and what there is to say about them. */
export interface SiteFiles {
  readonly written: readonly Written[];
  /** Those that the catalogue lists. */
  readonly listed: readonly ListedFile[];
  readonly products: readonly ProductSummary[];
  readonly notes: readonly string[];
}

/** What a build tells of a product. */
export interface ProductSummary extends Pick<ProductRecord, 'file' | 'name' | 'title' | 'kind'> {
  /** `$<decimal>`. */
  readonly price: string;
  readonly as_of: string;
  readonly figures: Json;
  readonly finding: string;
}

/** The modules that make files of records. */
export interface Makers {
  readonly hosts: readonly Host[];
  readonly pages: readonly Page[];
}

/** Composes each host's files, the rules, the pages and the catalogue. Throws `InputError` where the rules do not fit a host. */
export async function composeSite(
  site: Site,
  records: readonly ProductRecord[],
  {hosts, pages}: Makers,
  output: Output,
): Promise<SiteFiles> {
  const rules = records.map(ruleOf);
  const typed = pages.map(({path, type}) => ({path, type}));
  const hosted = await mapAll(hosts, host => ({name: host.name, ...composedFor(host, {site, rules, pages: typed})}));
  const hostFiles = hosted.flatMap(({files}) => [...files]);
  refuse(
    hostFiles
      .filter(([path]) => !isOutput(path))
      .map(([file]) => ({file, rule: `is outside ${PUBLIC}/ and ${RULES}/`})),
  );
  const written = [
    ...hostFiles.map(([path, text]) => output.put(path, text)),
    output.put(RULES_FILE, encode(rulesDocument(site, records, ruleFiles(hosted)))),
    ...pages.map(page => output.put(PUBLIC + page.path, page.compose(site, records))),
  ];
  const types = new Map([
    ...hostFiles.map(([path]) => [path, typeOf(path)] as const),
    ...pages.map(({path, type}) => [PUBLIC + path, type] as const),
  ]);
  const listed = written
    .filter(({path}) => isPublic(path))
    .map(({path, sha256, bytes}) => ({
      path: path.slice(PUBLIC.length),
      type: types.get(path) ?? JSON_TYPE,
      sha256,
      bytes,
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    written: [...written, output.put(CATALOGUE_FILE, catalogueText(site, records, listed))],
    listed,
    products: records.map(summaryOf),
    notes: [...notesOn(records), ...hosted.flatMap(({notes = []}) => notes)],
  };
}

function summaryOf({file, name, title, kind, price, published}: ProductRecord): ProductSummary {
  const {as_of, figures, finding} = published;
  return {file, name, title, kind, price: price.text, as_of, figures, finding};
}

/** What a host needs. Throws `InputError` with what does not fit it, and with the way out. */
function composedFor(host: Host, hosted: Parameters<Host['compose']>[0]): HostFiles {
  try {
    return host.compose(hosted);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const rule = `may leave out ${host.name}, which does not take this: files are written for the hosts that are named`;
    throw new InputError([...error.faults, {file: 'data/site.json', field: 'hosts', rule}], {cause: error});
  }
}

/** Each host's rule files, by its name. */
function ruleFiles(hosted: readonly (HostFiles & {name: string})[]): Record<string, string[]> {
  return Object.fromEntries(hosted.map(({name, files}) => [name, [...files.keys()].filter(path => !isPublic(path))]));
}

function isOutput(path: string): boolean {
  return !/(^|\/)\.\.(\/|$)/.test(path) && (isPublic(path) || dirname(path) === RULES);
}

/** Content type of a file that a host adds to `public/`. */
function typeOf(path: string): string {
  return path.endsWith('.json') ? JSON_TYPE : 'text/plain; charset=utf-8';
}
