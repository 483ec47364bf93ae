import {statSync} from 'node:fs';
import {basename, join} from 'node:path';
import slugify from '@sindresorhus/slugify';
import glob from 'fast-glob';
import type {ValidateFunction} from 'ajv';
import {FREE_FOLDERS} from '../../shared/paths.ts';
import type {Kind, Product} from '../kinds/kind.ts';
import {InputError, mapAll, refuse, type Fault} from '../../shared/fault.ts';
import {merged} from '../merged.ts';
import {once} from '../once.ts';
import {readJsonText, validated} from '../read/json-file.ts';
import {priceSchema} from '../../shared/price.ts';
import {LINE, lineOfText} from '../../shared/line-of-text.ts';
import {compile, type JsonPath, type JsonSchema} from '../read/validator.ts';

/** Names that stand for something else below `/api/v1/`. */
const RESERVED: readonly string[] = ['index', ...FREE_FOLDERS];

/** The names that a source may have. */
export const SOURCE_NAME = '^[a-z0-9][a-z0-9-]*$';

export const sourceName = {
  type: 'string',
  pattern: SOURCE_NAME,
  description: 'the name of a folder in data/sources',
} as const;

const commonProperties: Record<string, JsonSchema> = {
  title: {...lineOfText, maxLength: 80, description: 'one line of 1 to 80 characters without surrounding spaces'},
  kind: {type: 'string'},
  price: priceSchema,
  source: sourceName,
  freeze: {type: 'string', format: 'date', description: 'the date of a freeze, YYYY-MM-DD'},
  difference: {
    ...lineOfText,
    pattern: `${LINE}(?<![ .])$`,
    description: 'one line of 1 to 200 characters that completes "it …", without a full stop',
  },
  siblings: {
    type: 'array',
    default: [],
    uniqueItems: true,
    items: {type: 'string', pattern: '^[a-z0-9]+$', description: 'a product name: lower-case letters and digits'},
  },
};

/**
 * Reads every `data/products/*.json`, in the order of their names (by code unit).
 * Throws `InputError` with the faults of all files, and for names that are empty, reserved or taken twice.
 */
export async function readProducts(root: string, kinds: ReadonlyMap<string, Kind>): Promise<Product[]> {
  // Folders and links that lead nowhere are found as well, and refused when they are read.
  const files = (await glob('data/products/*.json', {cwd: root, onlyFiles: false})).sort();
  if (files.length === 0)
    throw new InputError({file: 'data/products', rule: 'holds no product: describe one in a .json file'});
  const seen: Seen = {named: kindNamed([...kinds.keys()]), validators: new Map(), sources: new Map()};
  const products = await mapAll(files, file => readProduct(root, file, kinds, seen));
  refuse(doubledNames(products));
  return products.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What is the same for many products: the validators of a kind's name and of a kind, and whether a source is there. */
interface Seen {
  /** Which further members a product may have depends on its kind, so that is checked before all else. */
  readonly named: ValidateFunction<{kind: string}>;
  readonly validators: Map<string, ValidateFunction<Product>>;
  readonly sources: Map<string, boolean>;
}

function readProduct(
  root: string,
  file: string,
  kinds: ReadonlyMap<string, Kind>,
  {named, validators, sources}: Seen,
): Product {
  const text = readJsonText(root, file);
  const {kind: kindName} = validated(text, named).value;
  const kind = kinds.get(kindName);
  if (!kind) throw new Error(`no kind ${kindName}`);
  const validate = once(validators, kindName, () => compile<Product>(productSchema(kind)));
  const {value, fault} = validated(text, validate);
  const name = slugify(value.title, {separator: ''});
  const product = merged(value, {name, file});
  const isSource = (source: string) => once(sources, source, () => isFolder(join(root, 'data/sources', source)));
  refuse([
    ...sourcesOf(product, kind)
      .filter(([, source]) => !isSource(source))
      .map(([path, source]) => fault(path, source, 'is not a folder in data/sources')),
    ...(name === '' ? [fault(['title'], value.title, 'gives an empty name: use letters or digits')] : []),
    ...(RESERVED.includes(name) ? [fault(['title'], value.title, `gives the reserved name "${name}"`)] : []),
    ...(value.siblings.includes(name) ? [fault(['siblings'], name, 'names the product itself')] : []),
  ]);
  return product;
}

/** The sources that a product names, and where it does. */
function sourcesOf(product: Product, kind: Kind): (readonly [path: JsonPath, source: string])[] {
  if (product.source !== undefined) return [[['source'], product.source]];
  const tables = kind.tables?.(product).filter(({before}) => !before) ?? [];
  return tables.map(({name, source}) => [['sources', name], source]);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

function kindNamed(names: readonly string[]): ValidateFunction<{kind: string}> {
  return compile({type: 'object', required: ['kind'], properties: {kind: {enum: names}}});
}

function productSchema(kind: Kind): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['title', 'kind', 'price', 'difference', ...kind.product.required],
    properties: {...commonProperties, ...kind.product.properties},
  };
}

function doubledNames(products: readonly Product[]): Fault[] {
  const first = new Map<string, string>();
  return products.flatMap(({name, file, title}) => {
    const other = first.get(name);
    if (other === undefined) first.set(name, file);
    return other === undefined
      ? []
      : [
          {
            file,
            field: 'title',
            value: title,
            rule: `gives the name "${name}", which ${join('data/products', basename(other))} has already`,
          },
        ];
  });
}
