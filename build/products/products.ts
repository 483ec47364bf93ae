import {readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import slugify from '@sindresorhus/slugify';
import type {ValidateFunction} from 'ajv';
import {FREE_FOLDERS} from '../../shared/paths.ts';
import type {Kind, Product} from '../kinds/kind.ts';
import {mapAll, refuse, type Fault} from '../../shared/fault.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {readJsonText, validated} from '../read/json-file.ts';
import {priceOf, priceSchema} from '../../shared/price.ts';
import {lineOf} from '../../shared/line-of-text.ts';
import {sourceName} from '../read/freezes.ts';
import {compile, type JsonPath, type JsonSchema} from '../read/validator.ts';

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

/** Reads files of products. Throws `InputError` with the faults of all, names that are empty or reserved among them. */
export async function readProducts(
  root: string,
  files: readonly string[],
  kinds: ReadonlyMap<string, Kind>,
): Promise<Product[]> {
  const rules = {
    // Which further members a product may have depends on its kind, so that is checked before all else.
    kind: compile<{kind: string}>({type: 'object', required: ['kind'], properties: {kind: {enum: [...kinds.keys()]}}}),
    product: new Map([...kinds].map(([name, kind]) => [name, compile<ProductFile>(productSchema(kind))])),
    sources: foldersIn(join(root, 'data/sources')),
  };
  return mapAll(files, file => readProduct(root, file, kinds, rules));
}

/** What a product's file holds, with what is missing filled in. */
type ProductFile = Omit<Product, 'file' | 'name' | 'price'> & {readonly price: string};

/** What files of products are held against. */
interface Rules {
  readonly kind: ValidateFunction<{kind: string}>;
  /** By the name of the kind. */
  readonly product: ReadonlyMap<string, ValidateFunction<ProductFile>>;
  /** The sources that are there. */
  readonly sources: ReadonlySet<string>;
}

function readProduct(root: string, file: string, kinds: ReadonlyMap<string, Kind>, rules: Rules): Product {
  const text = readJsonText(root, file);
  const {kind: kindName} = validated(text, rules.kind).value;
  const [kind, validate] = [kinds.get(kindName), rules.product.get(kindName)];
  if (!kind || !validate) throw new Error(`no kind ${kindName}`);
  const {value, fault} = validated(text, validate);
  const name = slugify(value.title, {separator: ''});
  const product: Product = {...value, name, file, price: priceOf(value.price)};
  refuse([
    ...sourcesIn(product, kind)
      .filter(([, source]) => !rules.sources.has(source))
      .map(([path, source]) => fault(path, source, 'is not a folder in data/sources')),
    ...(name === '' ? [fault(['title'], value.title, 'gives an empty name: use letters or digits')] : []),
    ...(RESERVED.includes(name) ? [fault(['title'], value.title, `gives the reserved name "${name}"`)] : []),
    ...(value.siblings.includes(name) ? [fault(['siblings'], name, 'names the product itself')] : []),
  ]);
  return product;
}

/** The sources that a product names, and where it does. */
function sourcesIn(product: Product, kind: Kind): (readonly [path: JsonPath, source: string])[] {
  if (product.source !== undefined) return [[['source'], product.source]];
  const tables = kind.tables?.(product).filter(({before}) => !before) ?? [];
  return tables.map(({name, source}) => [['sources', name], source]);
}

/** The names of the folders, and of links to such, in a folder. */
function foldersIn(folder: string): ReadonlySet<string> {
  const entries = ifReadable(() => readdirSync(folder)) ?? [];
  return new Set(entries.filter(name => ifReadable(() => statSync(join(folder, name)))?.isDirectory()));
}

function productSchema(kind: Kind): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['title', 'kind', 'price', 'difference', ...kind.product.required],
    properties: {...commonProperties, ...kind.product.properties},
  };
}

/** The products that have the name of an earlier one. */
export function doubledNames(products: readonly Pick<Product, 'name' | 'file' | 'title'>[]): Fault[] {
  const first = new Map<string, string>();
  return products.flatMap(({name, file, title}) => {
    const other = first.get(name);
    if (other === undefined) first.set(name, file);
    const rule = `gives the name "${name}", which ${other ?? ''} has already`;
    return other === undefined ? [] : [{file, field: 'title', value: title, rule}];
  });
}
