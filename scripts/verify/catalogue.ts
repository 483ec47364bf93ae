import {paths} from '../../shared/paths.ts';
import {lineOfText} from '../../shared/line-of-text.ts';
import {priceSchema} from '../../shared/price.ts';
import {compile} from '../../build/read/validator.ts';
import {InputError} from '../../shared/fault.ts';
import {validated} from '../../build/read/json-file.ts';
import {readUntrusted} from './untrusted-json.ts';

/** What the catalogue says of a file. */
export interface Listed {
  readonly sha256: string;
  readonly bytes: number;
}

/** What the catalogue says of a document of a product. */
export interface ListedDocument extends Listed {
  readonly url: string;
}

/** A product in the catalogue. */
export interface Entry {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly as_of: string;
  readonly price: string;
  readonly sample: ListedDocument;
  readonly paid: ListedDocument;
  readonly schemas: {readonly sample: ListedDocument; readonly paid: ListedDocument};
  readonly history: ListedDocument;
}

/** A free file that belongs to no product. */
export interface ListedFile extends Listed {
  readonly path: string;
  readonly type: string;
}

/** `api/v1/index.json`. */
export interface Catalogue {
  readonly version: string;
  readonly base_url: string;
  readonly payment: {readonly accepts: {network: string; pay_to: string}[]};
  readonly products: readonly Entry[];
  readonly files: readonly ListedFile[];
}

const listed = {
  sha256: {type: 'string', pattern: '^[0-9a-f]{64}$', description: '64 lower-case hexadecimal digits'},
  bytes: {type: 'integer', minimum: 0},
} as const;
const document = open({url: {type: 'string'}, ...listed});
const catalogueSchema = open({
  version: {const: 'v1'},
  base_url: {type: 'string', pattern: '^https?://[^/?#@\\s]+$', description: 'an http(s) origin'},
  payment: open({accepts: list(open({network: {type: 'string'}, pay_to: {type: 'string'}}))}),
  products: list(
    open({
      name: {type: 'string', pattern: '^[a-z0-9]{1,200}$', description: '1 to 200 lower-case letters and digits'},
      title: lineOfText,
      kind: {type: 'string'},
      as_of: {type: 'string', format: 'timestamp', description: 'a moment such as 2026-05-01T00:00:00.000Z'},
      price: priceSchema,
      sample: document,
      paid: document,
      schemas: open({sample: document, paid: document}),
      history: document,
    }),
  ),
  files: list(
    open({
      path: {
        type: 'string',
        pattern: '^(/\\.?[A-Za-z0-9_-][A-Za-z0-9._-]*)+$',
        maxLength: 1000,
        description: 'a plain absolute path',
      },
      type: {type: 'string', maxLength: 200},
      ...listed,
    }),
  ),
});

const isCatalogue = compile<Catalogue>(catalogueSchema);

/** Reads a catalogue; throws `InputError` where it is none. */
export function readCatalogue(name: string, bytes: Uint8Array): Catalogue {
  return validated(readUntrusted(name, bytes), isCatalogue).value;
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
        .map(({path, listed}) => `names ${listed.url} for ${base_url + path}`),
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

/** An object that may gain members, and whose members named here are all there. */
function open<P extends Readonly<Record<string, unknown>>>(properties: P) {
  return {type: 'object', required: Object.keys(properties), properties} as const;
}

function list<S extends Readonly<Record<string, unknown>>>(items: S) {
  return {type: 'array', items} as const;
}
