import {isChained, type FreezeChain} from '../../shared/chain.ts';
import {editionPath, editionTitle, FORMATS, paths} from '../../shared/paths.ts';
import type {Catalogue, Entry, ListedEdition, ListedFile, ListedSource, RuleEntry, Rules} from '../../shared/shapes.ts';
import type {Site} from '../read/site.ts';
import type {Edition, ProductRecord, Frozen} from './record.ts';
import {wordsOf} from '../read/table-schema.ts';
import {usdOf} from '../../shared/price.ts';
import type {WitnessedFreeze} from '../read/proofs.ts';
import {fingerprintOf} from '../../shared/digest.ts';

export const DOCUMENTS = ['sample', 'paid', 'sampleSchema', 'paidSchema', 'history'] as const;

/** Returns `index.json`, the catalogue for programs. */
export function catalogueOf(
  site: Site,
  records: readonly ProductRecord[],
  files: readonly ListedFile[],
  sources: NonNullable<Catalogue['sources']> = [],
): Catalogue {
  const {title, base_url, payment, redownload_days, signing} = site;
  const products = records.map(record => entryOf(base_url, record));
  return {
    title,
    version: 'v1',
    base_url,
    payment: {accepts: payment.accepts},
    redownload_days,
    ...(signing && {signing: {kid: signing.kid, x: signing.x}}),
    products,
    files,
    ...(sources.length > 0 && {sources}),
  };
}

function entryOf(base_url: string, record: ProductRecord): Entry {
  const {name, title, kind, price, published, next_expected, documents, pass, editions, paidContent} = record;
  const columns = listedColumns(record);
  const sources = listedSources(record.freezes);
  const entry = (document: keyof typeof documents) => ({url: base_url + paths[document](name), ...documents[document]});
  return {
    name,
    title,
    kind,
    as_of: published.as_of,
    ...(next_expected !== undefined && {next_expected}),
    price: price.text,
    usd: usdOf(price),
    ...(pass && {pass: {next: pass.next}}),
    sample: entry('sample'),
    paid: {
      method: 'GET',
      ...entry('paid'),
      ...(paidContent.type === 'rows' && !paidContent.holds && {rows: paidContent.sold}),
    },
    schemas: {sample: entry('sampleSchema'), paid: entry('paidSchema')},
    history: entry('history'),
    ...(editions.length > 0 && {
      editions: editions.map(edition => listedEdition(base_url + editionPath(name, edition), edition)),
    }),
    ...(columns && {columns}),
    ...(sources.some(source => Object.keys(source).length > 1) && {sources}),
  };
}

/** The columns of CSV and Parquet files. Listed here because a CSV file cannot contain types, titles and units. */
function listedColumns({columnTypes, columnWords, editions}: ProductRecord): Entry['columns'] {
  if (!editions.some(({format}) => format !== 'json')) return undefined;
  return Object.entries(columnTypes).map(([name, type]) => ({name, type, ...wordsOf(columnWords, name)}));
}

function listedEdition(url: string, {format, part, rows, sha256, bytes}: Edition): ListedEdition {
  return {method: 'GET', url, format, type: FORMATS[format].type, ...(part && {part}), rows, sha256, bytes};
}

export interface Provenance {
  readonly chains: readonly FreezeChain[];
  readonly witnessed: readonly WitnessedFreeze[];
}

/** The distinct sources of a product, each as described in its latest freeze. */
export function listedSources(freezes: readonly Frozen[]): ListedSource[] {
  const latest = new Map(
    freezes.toSorted((a, b) => (a.as_of < b.as_of ? -1 : 1)).map(freeze => [freeze.source, freeze]),
  );
  return [...latest.values()].map(({source, about}) => ({name: source, ...about}));
}

/** Returns the sources whose freezes are chained or have timestamps. */
export function provableSources(baseUrl: string, {chains, witnessed}: Provenance): NonNullable<Catalogue['sources']> {
  const proofs = new Map(witnessed.map(freeze => [`${freeze.source} ${freeze.date}`, freeze.proofs]));
  const listed = chains.map(({name, freezes}) => ({
    name,
    freezes: freezes.map(link => {
      const own = proofs.get(`${name} ${link.date}`) ?? [];
      const ownProofs = own.map(({kind, path, bytes}) => ({kind, url: baseUrl + path, ...fingerprintOf(bytes)}));
      return {...link, ...(ownProofs.length > 0 && {proofs: ownProofs})};
    }),
  }));
  return listed.filter(({freezes}) => isChained(freezes) || freezes.some(freeze => freeze.proofs));
}

/** The rules of a product, one per paid path. They are the only source of its price, for every host. */
export function rulesOf(record: ProductRecord): RuleEntry[] {
  const {name, price, difference, pass, snapshots, example} = record;
  const ruleOf = (edition: Pick<Edition, 'part' | 'format'>): RuleEntry => {
    const title = editionTitle(record.title, edition);
    return {
      name,
      method: 'GET',
      path: editionPath(name, edition),
      price: price.text,
      title,
      description: `${title}: ${difference}.`,
      type: FORMATS[edition.format].type,
      sample: paths.sample(name),
      schema: paths.paidSchema(name),
      ...(pass && {pass}),
      ...(snapshots && {snapshots}),
      ...(edition.format === 'json' && {example}),
    };
  };
  return [ruleOf({format: 'json'}), ...record.editions.map(ruleOf)];
}

/** Returns `paywall/rules/rules.json`, which lists the paid documents, and the rule files of each host by its name. */
export function rulesDocument(
  {title, base_url, payment, redownload_days, signing}: Site,
  rules: readonly RuleEntry[],
  hosts: Readonly<Record<string, readonly string[]>>,
): Rules {
  const key = signing && {signing: {kid: signing.kid, x: signing.x}};
  return {title, base_url, payment, redownload_days, ...key, rules, hosts};
}
