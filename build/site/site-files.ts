import {describeFault, InputError, mapAll, refuse} from '../../shared/fault.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import type {ListedFile} from '../../shared/shapes.ts';
import {
  CATALOGUE_FILE,
  HTML_TYPE,
  isPublic,
  JSON_TYPE,
  paths,
  proofType,
  PUBLIC,
  RULES,
  RULES_FILE,
  STAMPS,
  STAMP_TYPE,
} from '../../shared/paths.ts';
import {catalogueOf, provableSources, rulesDocument, rulesOf, type Provenance} from '../documents/catalogue.ts';
import type {ProductRecord} from '../documents/record.ts';
import {encode} from '../../shared/encode.ts';
import {documentFaults, fileFaults, hostRemedy, type Host, type Hosted, type HostFiles} from '../hosts/host.ts';
import type {Json} from '../kinds/kind.ts';
import {notesOn, placeholderPayees} from '../notes/notes.ts';
import {catalogue, type Page, type PageFile} from '../pages/page.ts';
import type {Site} from '../read/site.ts';
import {isOutput} from '../write/changes.ts';
import type {Output, Written} from '../write/stage.ts';
import {loadFolder} from '../load-folder.ts';

/** The files about all products, and the summary of the build. */
export interface SiteFiles {
  readonly written: readonly Written[];
  readonly listed: readonly ListedFile[];
  readonly products: readonly ProductSummary[];
  readonly notes: readonly string[];
  /** The site's public key, which the catalogue must be signed with. Undefined for an unsigned site. */
  readonly signing: PublicKey | undefined;
}

export interface ProductSummary extends Pick<ProductRecord, 'file' | 'name' | 'title' | 'kind'> {
  /** `$<decimal>`. */
  readonly price: string;
  readonly as_of: string;
  readonly figures: Json;
  readonly finding: string;
}

/** Files whose content type every host knows. */
const KNOWN_ENDINGS = /\.(html|png|css)$/;

/**
 * Composes each host's files, the rules, the pages, the copies of proofs and the catalogue. A host that cannot sell the site is left out
 * with a note, unless the site names it. Throws `InputError` if a named host cannot sell the site, a file is too large for a host, or a
 * document is too large for every host.
 */
export async function composeSite(
  site: Site,
  records: readonly ProductRecord[],
  provenance: Provenance,
  plugins: Plugins,
  output: Output,
): Promise<SiteFiles> {
  const {hosts, pages} = plugins;
  // Each file is written before the next ones are composed, because together they are large.
  const put = ({path, content, type}: ComposedFile): Typed => ({...output.put(path, content), type});
  const putPage = async (page: Page) => (await filesOf(page, site, records, pages)).map(put);
  const pageFiles = (await mapAll(pages, putPage)).flat();
  const proofs = provenance.witnessed.flatMap(freeze => freeze.proofs);
  const typedPaths = [
    ...pageFiles
      .filter(({path}) => !KNOWN_ENDINGS.test(path))
      .map(({path, type}) => ({path: path.slice(PUBLIC.length), type})),
    ...(proofs.some(({kind}) => kind === 'rfc3161') ? [{path: STAMPS, type: STAMP_TYPE}] : []),
  ];
  const ruleFiles = await composeRules(site, records, plugins, typedPaths, put);
  const proofFiles = proofs.map(({path, bytes}) => put({path: PUBLIC + path, content: bytes, type: proofType(path)}));
  const typed = [...ruleFiles.written, ...pageFiles, ...proofFiles];
  const productPages = records.map(({name, page}) => ({path: PUBLIC + paths.page(name), type: HTML_TYPE, ...page}));
  const listed = [...typed.filter(({path}) => isPublic(path)), ...productPages].map(listedFile);
  listed.sort((a, b) => (a.path < b.path ? -1 : 1));
  const sources = provableSources(site.base_url, provenance);
  const written = [...typed, output.put(CATALOGUE_FILE, encode(catalogueOf(site, records, listed, sources)))];
  refuse([...records.flatMap(documentFaults), ...hosts.flatMap(host => fileFaults(written, host))]);
  return {
    written,
    listed,
    products: records.map(summaryOf),
    notes: [...(await placeholderPayees(site.payment.accepts)), ...notesOn(records), ...ruleFiles.notes],
    signing: site.signing && {kid: site.signing.kid, x: site.signing.x},
  };
}

/** A file with its path from the root and its content type, before it is written. */
type ComposedFile = Required<PageFile>;

/** A written file with its content type. */
type Typed = Written & Pick<ComposedFile, 'type'>;

/** Composes the rules and each host's files, and returns notes about hosts that are left out. */
async function composeRules(
  site: Site,
  records: readonly ProductRecord[],
  {hosts, areHostsChosen}: Plugins,
  pages: Hosted['pages'],
  put: (file: ComposedFile) => Typed,
) {
  const rules = records.flatMap(rulesOf);
  const composed = await mapAll(hosts, host => composedFor(host, {site, rules, pages}, areHostsChosen));
  const hosted = composed.filter(each => 'files' in each);
  const hostFiles = hosted.flatMap(({files}) =>
    [...files].map(([path, content]) => ({path, content, type: typeOf(path)})),
  );
  const outside = hostFiles.filter(({path}) => !isOutput(path));
  refuse(outside.map(({path}) => ({code: 'FZ403' as const, file: path, rule: `is outside ${PUBLIC}/ and ${RULES}/`})));
  const ruleFiles = hosted.map(({name, files}) => [name, [...files.keys()].filter(path => !isPublic(path))] as const);
  const content = encode(rulesDocument(site, rules, Object.fromEntries(ruleFiles)));
  const files = [...hostFiles, {path: RULES_FILE, content, type: JSON_TYPE}];
  return {written: files.map(put), notes: composed.flatMap(({notes = []}) => notes)};
}

function listedFile({path, type, sha256, bytes}: ListedFile): ListedFile {
  return {path: path.slice(PUBLIC.length), type, sha256, bytes};
}

function summaryOf({file, name, title, kind, price, published}: ProductRecord): ProductSummary {
  const {as_of, figures, summary} = published;
  return {file, name, title, kind, price: price.text, as_of, figures, finding: summary};
}

async function filesOf(
  page: Page,
  site: Site,
  records: readonly ProductRecord[],
  pages: readonly Page[],
): Promise<ComposedFile[]> {
  const {path, type} = page;
  const composed = await page.compose(site, records, [catalogue, ...pages]);
  const isOne = typeof composed === 'string' || composed instanceof Uint8Array;
  const files: readonly PageFile[] = isOne ? [{path, content: composed}] : composed;
  return files.map(file => ({type, ...file, path: PUBLIC + file.path}));
}

/**
 * Returns the files of a host. If they cannot be composed, throws `InputError` if the site names the host, and otherwise returns a note, so
 * that `deploy` refuses it.
 */
function composedFor(
  host: Host,
  hosted: Hosted,
  isChosen: boolean,
): (HostFiles & Pick<Host, 'name'>) | Pick<HostFiles, 'notes'> {
  try {
    return {name: host.name, ...host.compose(hosted)};
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (!isChosen) return {notes: [leftOutNote(host, error)]};
    throw new InputError([...error.faults, hostRemedy(host.name)], {cause: error});
  }
}

function leftOutNote({name}: Host, {faults: [first, ...others]}: InputError): string {
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return `no files are written for ${name}, which cannot sell this site: ${first ? describeFault(first) : ''}${more}. If you do not use ${name}, list your hosts in "hosts" in data/site.json`;
}

function typeOf(path: string): string {
  return path.endsWith('.json') ? JSON_TYPE : 'text/plain; charset=utf-8';
}

type Plugins = Awaited<ReturnType<typeof pluginsOf>>;

/** Loads all pages and the hosts that the site names, or all hosts if it names none. */
export async function pluginsOf({hosts: names}: Site) {
  const [hosts, pages] = await Promise.all([loadFolder<Host>('hosts'), loadFolder<Page>('pages')]);
  const chosen = names?.flatMap(name => hosts.get(name) ?? []);
  return {hosts: chosen ?? [...hosts.values()], areHostsChosen: chosen !== undefined, pages: [...pages.values()]};
}
