import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {mkdir, stat, writeFile} from 'node:fs/promises';
import {join, parse} from 'node:path';
import {pipeline} from 'node:stream/promises';

/** The classes of all measured lists. */
export const CLASSES = ['fraud', 'dead', 'unable_verify', 'soft_fail'] as const;

export type Class = (typeof CLASSES)[number];

const DATE = '2026-05-01';

/** The part of a Frictionless field that these lists need. */
interface Field {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number';
  readonly constraints: object;
}

export const url: Field = {name: 'url', type: 'string', constraints: {required: true}};
export const classField: Field = {name: 'class', type: 'string', constraints: {required: true, enum: CLASSES}};

/** Writes a site without products or sources. */
export async function writeSite(root: string): Promise<void> {
  await mkdir(join(root, 'data/products'), {recursive: true});
  const payment = {
    accepts: [{network: 'eip155:84532', pay_to: '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2'}],
    facilitator_url: 'https://facilitator.example',
  };
  await writeJson(join(root, 'data/site.json'), {
    title: 'Bench',
    base_url: 'https://bench.example',
    hosts: ['serve'],
    payment,
  });
}

/** Writes a product that sells the share of one class of a source. */
export async function writeShare(root: string, title: string, source: string, share: Class, more = {}): Promise<void> {
  await writeProduct(root, {title, kind: 'class-share', price: '$0.02', source, class: share, ...more});
}

/** The file of a product, without the sentence that all products share. */
interface Product {
  readonly title: string;
  readonly kind: string;
  readonly price: string;
  readonly source: string;
  readonly [member: string]: unknown;
}

/** Writes the file of a product. */
export async function writeProduct(root: string, product: Product): Promise<void> {
  const file = join(root, `data/products/${product.title.toLowerCase().replaceAll(/\W/g, '-')}.json`);
  await writeJson(file, {...product, difference: 'is measured'});
}

/** Returns the folder of a source's only freeze, and creates it if necessary. */
export async function freezeFolder(root: string, source: string): Promise<string> {
  const folder = join(root, `data/sources/${source}/${DATE}`);
  await mkdir(folder, {recursive: true});
  return folder;
}

/** A Table Schema. */
interface Schema {
  readonly fields: readonly Field[];
  readonly primaryKey?: readonly string[];
}

/** Writes the descriptor of a freeze next to its list, with the list's current digest. */
export async function describe(list: string, schema: Schema): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(list, {highWaterMark: 1 << 20}), hash);
  const bytes = (await stat(list)).size;
  const {dir, base: path, ext} = parse(list);
  const resource = {name: 'list', path, format: ext.slice(1), bytes, hash: `sha256:${hash.digest('hex')}`};
  await writeJson(join(dir, 'datapackage.json'), {
    created: `${DATE}T00:00:00Z`,
    as_of: `${DATE}T12:00:00.000Z`,
    resources: [{...resource, schema}],
  });
}

async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(file, JSON.stringify(value));
}
