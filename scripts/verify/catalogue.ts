import {fieldName} from '../../build/read/json-file.ts';
import {catalogueSchema, shaped, type Catalogue, type Entry} from '../../shared/shapes.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {paths} from '../../shared/paths.ts';
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
  return [
    {part: 'sample', path: paths.sample(name), listed: sample},
    {part: 'sampleSchema', path: paths.sampleSchema(name), listed: schemas.sample},
    {part: 'paidSchema', path: paths.paidSchema(name), listed: schemas.paid},
    {part: 'history', path: paths.history(name), listed: history},
    {part: 'paid', path: paths.paid(name), listed: paid},
  ] as const;
}

/** A document's place among those of its product. */
export type Part = ReturnType<typeof documentsOf>[number]['part'];

/** What is wrong with a catalogue beyond its shape: addresses, doubled names, a paid document among the free files. */
export function catalogueFaults({base_url, products, files}: Catalogue): string[] {
  const paid = new Set(products.map(({name}) => paths.paid(name)));
  const names = products.map(({name}) => name);
  const all = [...products.flatMap(entry => documentsOf(entry).map(({path}) => path)), ...files.map(({path}) => path)];
  return [
    ...doubled(names).map(name => `lists ${name} twice`),
    ...doubled(all).map(path => `lists ${path} twice`),
    ...files.filter(({path}) => paid.has(path)).map(({path}) => `gives ${path} away among the free files`),
    ...products.flatMap(entry =>
      documentsOf(entry)
        .filter(({path, listed}) => listed.url !== base_url + path)
        .map(({path, listed}) => `names ${shownAddress(listed.url)} for ${base_url + path}`),
    ),
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
