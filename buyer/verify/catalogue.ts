import {fieldName} from '../../shared/json-text.ts';
import {
  catalogueSchema,
  type Catalogue,
  type Entry,
  type ListedDocument,
  type ListedEdition,
} from '../../shared/shapes.ts';
import {shaped} from '../../shared/shaped.ts';
import {brokenLinks, type FreezeChain} from '../../shared/chain.ts';
import {priceOf, usdOf} from '../../shared/price.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {editionName, FORMATS, JSON_TYPE, paths, type DocumentName, type Format} from '../../shared/paths.ts';
import {MAX_PAYEES} from './bounds.ts';
import {readUntrusted} from './untrusted-json.ts';

/** Parses and validates a catalogue. Throws `InputError` if it is invalid. */
export function readCatalogue(file: string, bytes: Uint8Array): Catalogue {
  const read = shaped(catalogueSchema, readUntrusted(file, bytes));
  if ('value' in read) {
    const rule = `has more than ${MAX_PAYEES} entries`;
    if (read.value.payment.accepts.length > MAX_PAYEES)
      throw new InputError({code: 'FZ619', file, field: 'payment.accepts', rule});
    return read.value;
  }
  throw new InputError(
    read.misfits.map(({path, rule}) => ({code: 'FZ619' as const, file, field: fieldName(path), rule})),
  );
}

/** Returns the documents of a product with their required paths; the paid one is last. */
export function documentsOf({name, sample, paid, schemas, history}: Entry) {
  const listed = {sample, sampleSchema: schemas.sample, paidSchema: schemas.paid, history, paid};
  const parts = Object.keys(listed) as DocumentName[];
  return parts.map(part => ({part, path: paths[part](name), listed: listed[part]}));
}

/** Returns all paid documents of a product with their required paths and content types: the main document, then its editions. */
export function paidOf({name, paid, editions = []}: Entry): PaidDocument[] {
  const known = [
    {name, type: JSON_TYPE, listed: paid, edition: undefined},
    ...editions.map(edition => ({
      name: editionName(name, edition),
      type: FORMATS[edition.format].type,
      listed: edition,
      edition,
    })),
  ];
  return known.map(document => ({...document, path: paths.paid(document.name)}));
}

export interface PaidDocument {
  /** The last segment of its path: `softfail3`, `softfail3-europe` or `softfail3-europe.csv`. */
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly listed: ListedDocument;
  /** Undefined for the main document. */
  readonly edition: ListedEdition | undefined;
}

/** Returns the paths of all paid documents, including parts and formats. */
export function paidPaths({products}: Pick<Catalogue, 'products'>): string[] {
  return products.flatMap(paidOf).map(({path}) => path);
}

/** Returns the paths of all documents and files in a catalogue, with repetitions. */
export function listedPaths({products, files}: Catalogue): string[] {
  const editions = products.flatMap(entry => paidOf(entry).slice(1));
  return [...products.flatMap(documentsOf), ...editions, ...files].map(({path}) => path);
}

/** Returns the errors in a valid catalogue: wrong addresses, duplicate names, a paid document among the free files. */
export function catalogueFaults(catalogue: Catalogue): string[] {
  const {base_url, products, files, sources = []} = catalogue;
  const paid = new Set(paidPaths(catalogue));
  const names = products.map(({name}) => name);
  return [
    ...[...doubled(names), ...doubled(listedPaths(catalogue)), ...doubled(sources.map(({name}) => name))].map(
      twice => `lists ${twice} twice`,
    ),
    ...files.filter(({path}) => paid.has(path)).map(({path}) => `lists the paid document ${path} among the free files`),
    ...products
      .flatMap(entry => [...documentsOf(entry), ...paidOf(entry).slice(1)])
      .filter(({path, listed}) => listed.url !== base_url + path)
      .map(({path, listed}) => `lists the address ${shownAddress(listed.url)} instead of ${base_url + path}`),
    ...products
      .flatMap(paidOf)
      .filter(({type, edition}) => edition && edition.type !== type)
      .map(({path, type}) => `lists ${path} with another content type than ${type}`),
    ...products.flatMap(entryFaults),
    ...products.flatMap(partFaults),
    ...sources.flatMap(sourceFaults),
  ];
}

/** Returns contradictions between price and `usd`, and between `as_of` and `next_expected`. */
function entryFaults({name, price, usd, as_of, next_expected}: Entry): string[] {
  return [
    ...(usd === undefined || usd === usdOf(priceOf(price))
      ? []
      : [`lists ${name} with the price ${price}, but with ${usd} in usd`]),
    ...(next_expected === undefined || next_expected > as_of
      ? []
      : [`has a next_expected of ${name} that is not after its as_of`]),
  ];
}

/** Checks that the parts of a product are numbered from 1 in every format. */
function partFaults({name, editions = []}: Entry): string[] {
  return (Object.keys(FORMATS) as Format[]).flatMap(format => {
    const parts = editions.flatMap(edition => (edition.format === format && edition.part ? [edition.part] : []));
    const isWhole = parts.every(({number, of}, index) => number === index + 1 && of === parts.length);
    return isWhole ? [] : [`does not list every part of ${name} as ${format}, in order`];
  });
}

/** Checks that the freezes of a source are ordered, each with its own date, and that their chain is complete. */
function sourceFaults({name, freezes}: FreezeChain): string[] {
  return [
    ...freezes
      .filter(({as_of}, at) => as_of <= (freezes[at - 1]?.as_of ?? ''))
      .map(({date}) => `lists the freeze of ${date} of ${name} out of order: freezes are sorted by as_of`),
    ...freezes
      .filter(({date, as_of}) => !as_of.startsWith(`${date}T`))
      .map(({date, as_of}) => `lists the freeze of ${date} of ${name} with an as_of of another day, ${as_of}`),
    ...brokenLinks({freezes}).map(({link: {date}, of, rule}) => {
      const what = of === 'previous' ? `previous in the freeze of ${date}` : `the freeze of ${date}`;
      return `${what} of ${name} ${rule}`;
    }),
  ];
}

/** The maximum number of products in a message. */
const MOST_NAMES = 20;

/** Returns the product with this name. Throws `InputError` if there is none. */
export function entryOf(catalogue: Catalogue, name: string): Entry {
  const entry = catalogue.products.find(product => product.name === name);
  if (entry) return entry;
  const names = shownNames(catalogue.products.map(product => product.name));
  throw new InputError({
    code: 'FZ614',
    subject: 'The catalogue',
    rule: `does not list ${name}. The names are ${names}`,
  });
}

/** Returns names for a message. Their number depends on untrusted input, so it is limited. */
export function shownNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function doubled(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(texts.filter(text => seen.has(text) || !seen.add(text)))];
}
