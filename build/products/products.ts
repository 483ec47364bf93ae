import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import slugify from '@sindresorhus/slugify';
import {isDevice} from '../../shared/file-names.ts';
import {FREE_FOLDERS} from '../../shared/paths.ts';
import type {Kind, Product} from '../kinds/kind.ts';
import {mapAll, refuse, type Fault} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {readJsonText, validated} from '../read/json-file.ts';
import {priceOf, priceSchema} from '../../shared/price.ts';
import {lineOf} from '../../shared/line-of-text.ts';
import {sourceName} from '../read/freezes.ts';
import {compile, object, type JsonSchema} from '../read/validator.ts';

/** Names that stand for something else below `/api/v1/`. */
const RESERVED: readonly string[] = ['index', ...FREE_FOLDERS];

const commonProperties: Record<string, JsonSchema> = {
  title: lineOf(80),
  kind: {type: 'string'},
  price: priceSchema,
  source: sourceName,
  freeze: {type: 'string', format: 'date', description: 'the date of a freeze, YYYY-MM-DD'},
  difference: {
    ...lineOf(200, ' .'),
    description: 'one line of 1 to 200 characters that completes "it …", without a full stop',
  },
  siblings: {
    type: 'array',
    default: [],
    uniqueItems: true,
    items: {type: 'string', pattern: '^[a-z0-9]+$', description: 'a product name: lower-case letters and digits'},
  },
};

/** What a product's file holds, with what is missing filled in. */
type ProductFile = Omit<Product, 'file' | 'name' | 'price'> & {readonly price: string};

/** Reads files of products. Throws `InputError` with the faults of all, names that are empty or reserved among them. */
export async function readProducts(
  root: string,
  files: readonly string[],
  kinds: ReadonlyMap<string, Kind>,
): Promise<Product[]> {
  // Which further members a product may have depends on its kind, so that is checked before all else.
  const ofKind = compile<{kind: string}>({
    type: 'object',
    required: ['kind'],
    properties: {kind: {enum: [...kinds.keys()]}},
  });
  const rules = new Map([...kinds].map(([name, kind]) => [name, compile<ProductFile>(productSchema(kind))]));
  const known = foldersIn(join(root, 'data/sources'));
  return mapAll(files, file => {
    const text = readJsonText(root, file);
    const {kind: kindName} = validated(text, ofKind);
    const [kind, validate] = [kinds.get(kindName), rules.get(kindName)];
    if (!kind || !validate) throw new Error(`no kind ${kindName}`);
    const value = validated(text, validate);
    const {title, siblings} = value;
    const name = slugify(title, {separator: ''});
    const product: Product = {...value, name, file, price: priceOf(value.price)};
    const fault = (field: string, found: string, rule: string): Fault => ({file, field, value: found, rule});
    refuse([
      ...sourcesIn(product, kind)
        .filter(([, source]) => !known.has(source))
        .map(([field, source]) => fault(field, source, 'is not a folder in data/sources')),
      ...(name === '' ? [fault('title', title, 'gives an empty name: use letters or digits')] : []),
      ...(isDevice(name)
        ? [fault('title', title, `gives the name "${name}", which Windows reserves for a device`)]
        : []),
      ...(RESERVED.includes(name) ? [fault('title', title, `gives the reserved name "${name}"`)] : []),
      ...(siblings.includes(name) ? [fault('siblings', name, 'names the product itself')] : []),
    ]);
    return product;
  });
}

/** The sources that a product names, and where it does. */
function sourcesIn(product: Product, kind: Kind): (readonly [field: string, source: string])[] {
  if (product.source !== undefined) return [['source', product.source]];
  const tables = kind.tables?.(product).filter(({before}) => !before) ?? [];
  return tables.map(({name, source}) => [`sources.${name}`, source]);
}

/** The names of the folders, and of links to such, in a folder. */
function foldersIn(folder: string): ReadonlySet<string> {
  const entries = ifReadable(() => readdirSync(folder)) ?? [];
  return new Set(entries.filter(name => ifReadable(() => statSync(join(folder, name)))?.isDirectory()));
}

function productSchema({product: {required, properties}}: Kind): JsonSchema {
  const own = {...commonProperties, ...properties};
  return object(own, ['title', 'kind', 'price', 'difference', ...required]);
}

/** The products that have the name of an earlier one. */
export function doubledNames(products: readonly Pick<Product, 'name' | 'file' | 'title'>[]): Fault[] {
  const first = new Map(products.toReversed().map(({name, file}) => [name, file]));
  return products.flatMap(({name, file, title}) => {
    const other = first.get(name) ?? file;
    const rule = `gives the name "${name}", which ${other} has already`;
    return other === file ? [] : {file, field: 'title', value: title, rule};
  });
}
