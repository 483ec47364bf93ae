import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import slugify from '@sindresorhus/slugify';
import {PERIODS, productName, type Kind, type Product} from '../kinds/kind.ts';
import type {ErrorCode} from '../../shared/error-codes.ts';
import {mapAll, refuse, type Fault} from '../../shared/fault.ts';
import {isDevice} from '../../shared/file-names.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {FREE_FOLDERS} from '../../shared/paths.ts';
import {faultsIn, readJsonText} from '../read/json-file.ts';
import {priceOf, priceSchema} from '../../shared/price.ts';
import {lineOf} from '../../shared/line-of-text.ts';
import {sourceName} from '../read/freezes.ts';
import {knownSourceHint} from '../../shared/source-name.ts';
import {compile, object, type JsonSchema} from '../read/validator.ts';

const commonProperties: Record<string, JsonSchema> = {
  title: lineOf(80),
  name: {
    type: 'string',
    pattern: '^[a-z0-9]{1,80}$',
    description: 'a name of 1 to 80 lower-case letters and digits',
  },
  order: {type: 'integer', minimum: 0, maximum: 1_000_000, description: 'a whole number from 0 to 1000000'},
  kind: {type: 'string'},
  price: priceSchema,
  source: sourceName,
  freeze: {type: 'string', format: 'date', description: 'the date of a freeze, YYYY-MM-DD'},
  every: {enum: PERIODS},
  difference: {
    ...lineOf(200, ' .'),
    description: 'one line of 1 to 200 characters that completes "it …", without a full stop',
  },
  siblings: {
    type: 'array',
    default: [],
    uniqueItems: true,
    items: productName,
  },
};

const required = ['title', 'kind', 'price', 'difference'];

type ProductFile = Omit<Product, 'file' | 'name' | 'namedBy' | 'price'> & {
  readonly name?: string;
  readonly price: string;
};

/** Reads product files. Throws `InputError` with the errors of all files, empty and reserved names included. */
export async function readProducts(
  root: string,
  files: readonly string[],
  kinds: ReadonlyMap<string, Kind>,
): Promise<Product[]> {
  const schemaOf = ({product}: Kind) =>
    object({...commonProperties, ...product.properties}, [...required, ...product.required]);
  const rules = new Map([...kinds].map(([name, kind]) => [name, compile<ProductFile>(schemaOf(kind))]));
  const ofNoKind = compile<ProductFile>({
    type: 'object',
    required,
    properties: {...commonProperties, kind: {enum: [...kinds.keys()]}},
  });
  const known = foldersIn(join(root, 'data/sources'));
  return mapAll(files, file => {
    const text = readJsonText(root, file);
    // The allowed members depend on the kind.
    const members: {readonly kind?: unknown} = typeof text.value === 'object' && text.value !== null ? text.value : {};
    const kind = typeof members.kind === 'string' ? kinds.get(members.kind) : undefined;
    const given = new Set(Object.keys(members));
    const {faults, more} = faultsIn(text, rules.get(kind?.name ?? '') ?? ofNoKind);
    // The top-level members. Undefined for the whole product.
    const broken = new Set(faults.map(({field}) => field?.split(/[.[]/)[0]));
    const hinted = faults.map(fault =>
      fault.rule === `is not ${sourceName.description}`
        ? {...fault, rule: fault.rule + knownSourceHint(String(fault.value), known)}
        : fault,
    );
    const value = text.value as ProductFile;
    const isNamed = [undefined, 'title', 'name'].every(member => !broken.has(member));
    const product = {...(text.value as Product), ...(isNamed && nameOf(value)), file};
    // A file that is not an object has no members.
    const meant = broken.has(undefined) ? [] : meaningFaults(product, broken, {kind, given, known});
    refuse([...hinted, ...meant], {more});
    return {...product, price: priceOf(value.price)};
  });
}

/** The names of the folders in a folder, and of links to folders. */
function foldersIn(folder: string): ReadonlySet<string> {
  const entries = ifReadable(() => readdirSync(folder)) ?? [];
  return new Set(entries.filter(name => ifReadable(() => statSync(join(folder, name)))?.isDirectory()));
}

/**
 * Errors that the schema cannot find: in the name, in sources, and in members that exclude each other.
 * @param broken the members that break the schema, which are not checked further
 */
function meaningFaults(
  product: Product,
  broken: ReadonlySet<string | undefined>,
  {kind, given, known}: {kind: Kind | undefined; given: ReadonlySet<string>; known: ReadonlySet<string>},
): Fault[] {
  const {file, name, every, freeze, siblings} = product;
  const are = (...members: string[]) => members.every(member => !broken.has(member));
  const isNamed = are('title', 'name');
  const fault = (code: ErrorCode, field: string, value: string, rule: string): Fault => {
    return {code, file, field, value, rule};
  };
  return [
    ...(are('every', 'freeze') && every !== undefined && freeze !== undefined
      ? [fault('FZ206', 'every', every, 'promises newer snapshots, but "freeze" always selects the same one')]
      : []),
    ...(are('source', 'sources', 'figures', 'rows', 'document', 'bundle')
      ? (kind?.faults?.(product, given) ?? [])
      : []),
    ...(are('source', 'sources') ? namedSources(product, kind) : [])
      .filter(([, source]) => source !== '' && !known.has(source))
      .map(([field, source]) =>
        fault('FZ204', field, source, `is not a folder in data/sources${knownSourceHint(source, known)}`),
      ),
    ...(isNamed ? nameFaults(product) : []),
    ...(isNamed && are('siblings') && siblings.includes(name)
      ? [fault('FZ204', 'siblings', name, 'names the product itself')]
      : []),
  ];
}

function namedSources(product: Product, kind: Kind | undefined): (readonly [field: string, source: string])[] {
  if (product.source !== undefined) return [['source', product.source]];
  const tables = kind?.tables?.(product).filter(({before}) => !before) ?? [];
  return tables.map(({name, source}) => [`sources.${name}`, source]);
}

/** Names that have another meaning below `/api/v1/`. */
const RESERVED: readonly string[] = ['index', ...FREE_FOLDERS];

/** A file name has at most 255 characters: the name, a hyphen, a part name (100) and an extension such as `.parquet`. */
const MOST_NAME_LENGTH = 140;

/** The members of a product that its name depends on. */
export type Named = Pick<Product, 'file' | 'name' | 'title' | 'namedBy'>;

/** The name in the product file, or else the slug of the title. */
function nameOf({name, title}: ProductFile): Pick<Product, 'name' | 'namedBy'> {
  return name === undefined ? {name: slugify(title, {separator: ''}), namedBy: 'title'} : {name, namedBy: 'name'};
}

/** Errors of a name that is empty, too long or reserved. */
function nameFaults(product: Named): Fault[] {
  const {name} = product;
  const fault = (rule: string, fix?: string) => nameFault(product, rule, fix);
  const long = `has ${name.length} characters, and the files of a product are named after it`;
  return [
    ...(name === '' ? [fault('is empty', 'Set a "name" of lower-case letters and digits.')] : []),
    ...(isDevice(name) ? [fault('is reserved for a device by Windows')] : []),
    ...(name.length > MOST_NAME_LENGTH ? [fault(long, 'Set a "name" of at most 80 characters.')] : []),
    ...(RESERVED.includes(name) ? [fault('is reserved')] : []),
  ];
}

/** Errors of products that have the name of an earlier product. */
export function doubledNames(products: readonly Named[]): Fault[] {
  const first = new Map(products.toReversed().map(({name, file}) => [name, file]));
  return products.flatMap(product => {
    const other = first.get(product.name) ?? product.file;
    return other === product.file ? [] : nameFault(product, `is already the name of ${other}`);
  });
}

/** An error in the member that the name comes from. */
function nameFault({file, name, title, namedBy}: Named, rule: string, fix?: string): Fault {
  return namedBy === 'title'
    ? {code: 'FZ205', file, field: 'title', value: title, rule: `gives the name "${name}", which ${rule}`, fix}
    : {code: 'FZ205', file, field: 'name', value: name, rule, fix};
}
