import {createHash} from 'node:crypto';
import {catalogueSchema, rulesSchema} from '../../shared/shapes.ts';
import type {Sale} from '../../paywall/ledger/sale.ts';
import {NETWORK} from './keys.ts';

export const BASE_URL = 'https://snapshots.example';

/** A product of the simulated site. The version changes its document. */
export interface Product {
  readonly name: string;
  price: string;
  version: number;
  /** The number of later snapshots that a sale includes. Undefined for products that never were a pass. */
  next?: number | undefined;
}

export type Site = ReturnType<typeof siteOf>;

/** When a version of a product was published. */
export function asOf(version: number): string {
  return new Date(Date.UTC(2025, 0, version)).toISOString();
}

export function pathOf({name}: Pick<Product, 'name'>): string {
  return `/api/v1/${name}`;
}

/** Returns the sales of the document at a path to an account. */
export function salesTo(account: string, path: string, sales: readonly Sale[]): Sale[] {
  return sales.filter(({payer, url}) => payer === account.toLowerCase() && url === BASE_URL + path);
}

export function textOf({name, version}: Product): string {
  return JSON.stringify({name, version, rows: ['for buyers only']});
}

/** Makes the rules, the catalogue and the files of a site as the build does. */
export function siteOf(products: readonly Product[], payTo: string) {
  const files = new Map<string, string>();
  const document = (path: string, text: string) => {
    files.set(path, text);
    return {url: BASE_URL + path, sha256: createHash('sha256').update(text).digest('hex'), bytes: text.length};
  };
  const accepts = [{network: NETWORK, pay_to: payTo}];
  const site = {title: 'Simulated site', base_url: BASE_URL, redownload_days: 30};
  const termsOf = ({name, price, next}: Product) => ({name, title: name, price, ...(next && {pass: {next}})});
  const rules = rulesSchema.parse({
    ...site,
    payment: {accepts, facilitator_url: 'https://facilitator.example'},
    rules: products.map(product => ({
      ...{...termsOf(product), method: 'GET', path: pathOf(product)},
      ...{description: 'A list.', type: 'application/json; charset=utf-8', example: {}},
      ...{sample: `/api/v1/samples/${product.name}.json`, schema: `/api/v1/schemas/${product.name}.json`},
      ...(product.next !== undefined && {
        snapshots: {[product.name]: Array.from({length: product.version}, (_, index) => asOf(index + 1))},
      }),
    })),
  });
  const catalogue = catalogueSchema.parse({
    ...{...site, version: 'v1', payment: {accepts}, files: []},
    products: products.map(product => ({
      ...{...termsOf(product), kind: 'class-share', as_of: asOf(product.version)},
      sample: document(`/api/v1/samples/${product.name}.json`, '{"title": "A sample"}'),
      paid: document(pathOf(product), textOf(product)),
      schemas: {
        sample: document(`/api/v1/schemas/${product.name}.sample.json`, '{}'),
        paid: document(`/api/v1/schemas/${product.name}.json`, '{}'),
      },
      history: document(`/api/v1/history/${product.name}.json`, '{}'),
    })),
  });
  files.set('/api/v1/index.json', JSON.stringify(catalogue));
  const read = (file: string) =>
    Promise.resolve(files.has(file) ? new TextEncoder().encode(files.get(file)) : undefined);
  return {rules, catalogue, documents: {read}};
}
