import {createHash} from 'node:crypto';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import canonicalize from 'canonicalize';

/** A text that is in every paid document and in no other file. */
export const canary = 'CANARY-ef2f9c51-what-only-a-buyer-may-read';
export const baseUrl = 'https://snapshots.example';
export const payTo = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

export interface FixtureSite {
  /** Contains `public/` and `paywall/rules/`. */
  readonly root: string;
  readonly paidPaths: readonly string[];
  /** Contents by path below `public/`. */
  readonly files: ReadonlyMap<string, string>;
  readonly rules: FixtureRules;
  readonly catalogue: FixtureCatalogue;
  remove(): Promise<void>;
}

export interface FixtureOptions {
  readonly accepts?: readonly {network: string; pay_to: string}[];
  /** An additional product. */
  readonly product?: FixtureProduct;
  /** Changes the rules or the catalogue before they are written. */
  readonly alter?: (site: {rules: FixtureRules; catalogue: FixtureCatalogue}) => void;
}

export type FixtureRules = ReturnType<typeof rulesOf>;
export type FixtureCatalogue = ReturnType<typeof catalogueOf>;

export interface FixtureProduct {
  readonly name: string;
  readonly title: string;
  readonly price: string;
  /** Names of the columns of its rows. */
  readonly columns?: readonly string[];
}

const json = 'application/json; charset=utf-8';
const html = '<!doctype html><html lang="en"><title>Small site</title><p>A small site.</p></html>';
const threeProducts: readonly FixtureProduct[] = [
  {name: 'softfail3', title: 'Soft Fail 3', price: '$0.02'},
  {name: 'firstlastsame', title: 'First <Last> & "Same"', price: '$0.02'},
  {name: 'webhookbundle', title: 'Webhook Bundle', price: '$0.15'},
];
const defaultAccepts = [{network: 'eip155:84532', pay_to: payTo}];

/** Writes a site of three products into a new folder, as the generator would. */
export async function fixtureSite({
  accepts = defaultAccepts,
  product: another,
  alter,
}: FixtureOptions = {}): Promise<FixtureSite> {
  const products = another ? [...threeProducts, another] : threeProducts;
  const root = await mkdtemp(join(tmpdir(), 'fixture-site-'));
  const files = new Map<string, string>();
  for (const product of products) for (const [path, text] of documentsOf(product)) files.set(path, text);
  files.set('/index.html', html);
  files.set('/llms.txt', 'A small site.\n'.repeat(200));
  const rules = rulesOf(products, accepts);
  const catalogue = catalogueOf(products, accepts, files);
  alter?.({rules, catalogue});
  files.set('/api/v1/index.json', pretty(catalogue));
  for (const [path, text] of files) await write(join(root, 'public', path), text);
  await write(join(root, 'paywall/rules/rules.json'), pretty(rules));
  const paidPaths = rules.rules.map(({path}) => path);
  return {root, paidPaths, files, rules, catalogue, remove: () => rm(root, {recursive: true, force: true})};
}

function documentsOf({name, title, columns}: FixtureProduct): [string, string][] {
  const figures = {rows_n: 200, dead_ratio: 0.25, largest: '9007199254740993', counts: {dead: 50, alive: 150}};
  const reason = `${title}: 50 of 200 rows are dead.`;
  const as_of = '2026-05-01T00:00:00.000Z';
  const note = 'A free sample. '.repeat(100);
  const sample = {title: `${title} Sample`, as_of, reason, listed: false, ...figures, examples: ['a row'], note};
  const rows = Array.from({length: 200}, (_, index) => ({url: `https://${index}.example/${canary}`}));
  return [
    [`/api/v1/${name}`, pretty(withDigest({name, as_of, canary, rows}))],
    [`/api/v1/samples/${name}.json`, pretty(sample)],
    [`/api/v1/schemas/${name}.sample.json`, pretty({type: 'object', required: ['title']})],
    [`/api/v1/schemas/${name}.json`, pretty(paidSchema(name, columns))],
    [`/api/v1/history/${name}.json`, pretty({name, title, points: []})],
  ];
}

/** Adds the digest as the generator does: of the RFC 8785 form of the other members. */
function withDigest(document: object) {
  return {...document, sha256: sha256(canonicalize(document) ?? '')};
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function paidSchema(name: string, columns?: readonly string[]) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${baseUrl}/api/v1/schemas/${name}.json`,
    type: 'object',
    required: ['name', 'rows'],
    properties: {
      name: {type: 'string'},
      rows: {
        type: 'array',
        ...(columns && {
          items: {type: 'object', properties: Object.fromEntries(columns.map(column => [column, {type: 'number'}]))},
        }),
      },
    },
  };
}

function rulesOf(products: readonly FixtureProduct[], accepts: readonly {network: string; pay_to: string}[]) {
  return {
    title: 'Small site',
    base_url: baseUrl,
    payment: {accepts: [...accepts], facilitator_url: 'https://facilitator.example'},
    rules: products.map(({name, title, price}) => ({
      name,
      method: 'GET',
      path: `/api/v1/${name}`,
      price,
      title,
      description: `Everything about ${title}.`,
      type: json,
      sample: `/api/v1/samples/${name}.json`,
      schema: `/api/v1/schemas/${name}.json`,
      example: {name, rows: []},
    })),
  };
}

function catalogueOf(
  products: readonly FixtureProduct[],
  accepts: readonly {network: string; pay_to: string}[],
  files: ReadonlyMap<string, string>,
) {
  const listed = (path: string) => {
    const text = files.get(path) ?? '';
    return {sha256: sha256(text), bytes: Buffer.byteLength(text)};
  };
  const document = (path: string) => ({url: baseUrl + path, ...listed(path)});
  return {
    title: 'Small site',
    version: 'v1',
    base_url: baseUrl,
    payment: {accepts: [...accepts]},
    products: products.map(({name, title, price}) => ({
      name,
      title,
      kind: 'class-share',
      as_of: '2026-05-01T00:00:00.000Z',
      price,
      sample: document(`/api/v1/samples/${name}.json`),
      paid: document(`/api/v1/${name}`),
      schemas: {
        sample: document(`/api/v1/schemas/${name}.sample.json`),
        paid: document(`/api/v1/schemas/${name}.json`),
      },
      history: document(`/api/v1/history/${name}.json`),
    })),
    files: [
      {path: '/index.html', type: 'text/html; charset=utf-8', ...listed('/index.html')},
      {path: '/llms.txt', type: 'text/plain; charset=utf-8', ...listed('/llms.txt')},
    ],
  };
}

const pretty = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), {recursive: true});
  await writeFile(file, text);
}
