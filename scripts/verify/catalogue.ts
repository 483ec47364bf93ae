import {fieldName} from '../../build/read/json-file.ts';
import {catalogueSchema, shaped, type Catalogue, type Entry} from '../../shared/shapes.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {paths, type DocumentName} from '../../shared/paths.ts';
import {MAX_PAYEES} from './bounds.ts';
import {readUntrusted} from './untrusted-json.ts';

/** Reads a catalogue; throws `InputError` where it is none. */
export function readCatalogue(file: string, bytes: Uint8Array): Catalogue {
  const read = shaped(catalogueSchema, readUntrusted(file, bytes));
  if ('value' in read) {
    const rule = `has more than ${MAX_PAYEES} entries`;
    if (read.value.payment.accepts.length > MAX_PAYEES) throw new InputError({file, field: 'payment.accepts', rule});
    return read.value;
  }
  throw new InputError(read.misfits.map(({path, rule}) => ({file, field: fieldName(path), rule})));
}

/** The documents of a product with the paths where they must be, the paid one last. */
export function documentsOf({name, sample, paid, schemas, history}: Entry) {
  const listed = {sample, sampleSchema: schemas.sample, paidSchema: schemas.paid, history, paid};
  const parts = Object.keys(listed) as DocumentName[];
  return parts.map(part => ({part, path: paths[part](name), listed: listed[part]}));
}

/** The path of every document and file that a catalogue lists, as often as it lists it. */
export function listedPaths({products, files}: Catalogue): string[] {
  return [...products.flatMap(documentsOf), ...files].map(({path}) => path);
}

/** What is wrong with a catalogue beyond its shape: addresses, doubled names, a paid document among the free files. */
export function catalogueFaults(catalogue: Catalogue): string[] {
  const {base_url, products, files} = catalogue;
  const paid = new Set(products.map(({name}) => paths.paid(name)));
  const names = products.map(({name}) => name);
  return [
    ...[...doubled(names), ...doubled(listedPaths(catalogue))].map(twice => `lists ${twice} twice`),
    ...files.filter(({path}) => paid.has(path)).map(({path}) => `gives ${path} away among the free files`),
    ...products
      .flatMap(documentsOf)
      .filter(({path, listed}) => listed.url !== base_url + path)
      .map(({path, listed}) => `names ${shownAddress(listed.url)} for ${base_url + path}`),
  ];
}

/** The product of that name; throws `InputError` where the catalogue lists none. */
export function entryOf(catalogue: Catalogue, name: string): Entry {
  const entry = catalogue.products.find(product => product.name === name);
  if (entry) return entry;
  throw new InputError({file: paths.catalogue, field: 'products', rule: `lack ${name}`});
}

function doubled(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(texts.filter(text => seen.has(text) || !seen.add(text)))];
}
