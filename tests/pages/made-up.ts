import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {ProductRecord, UnpagedRecord} from '../../build/documents/record.ts';
import {fingerprintOf} from '../../shared/digest.ts';
import type {Host} from '../../build/hosts/host.ts';
import {loadFolder} from '../../build/load-folder.ts';
import type {Page} from '../../build/pages/page.ts';
import {card} from '../../build/pages/product/card.ts';
import type {Site} from '../../build/read/site.ts';
import {composeSite, type SiteFiles} from '../../build/site/site-files.ts';
import {priceOf} from '../../shared/price.ts';
import {PROJECT} from '../project.ts';

const point = {as_of: '2026-05-01T12:00:00.000Z', figures: {rows_n: 6}, summary: 'six', reason: 'Six rows.'};
const file = fingerprintOf('{}\n');

/** The metadata of an invented product. */
export const MADE_UP: UnpagedRecord = {
  file: 'data/products/0.json',
  name: 'product',
  title: 'Product',
  kind: 'class-share',
  price: priceOf('$0.15'),
  difference: 'is made up',
  freezes: [{source: 'deny-list', as_of: '2026-05-01T12:00:00.000Z', created: '2026-04-29T18:15:00Z', about: {}}],
  published: point,
  history: [point],
  words: {},
  paidContent: {type: 'rows', sold: 2, total: 2, columns: ['url'], shown: 1},
  columnWords: {},
  columnTypes: {},
  example: {name: 'example', figures: 'x'.repeat(300), rows: []},
  documents: {sample: file, paid: file, sampleSchema: file, paidSchema: file, history: file},
  editions: [],
};

/** The metadata of this many invented products. */
export function madeUp(count: number): ProductRecord[] {
  return Array.from({length: count}, (_, index) => {
    const product: UnpagedRecord = {
      ...MADE_UP,
      file: `data/products/${index}.json`,
      name: `product${String(index).padStart(6, '0')}`,
      title: `Product No ${index}`,
      price: priceOf(index % 2 === 0 ? '$0.02' : '$0.15'),
    };
    return {...product, page: file, card: card(product)};
  });
}

/** Composes the files about products in memory, with additional pages. Returns their texts by path. */
export async function composed(
  records: readonly ProductRecord[],
  hosts: readonly string[],
  further: readonly Page[] = [],
): Promise<SiteFiles & {readonly texts: ReadonlyMap<string, string>}> {
  const [allHosts, pages] = await Promise.all([loadFolder<Host>('hosts'), loadFolder<Page>('pages')]);
  const site = JSON.parse(readFileSync(join(PROJECT, 'data/site.json'), 'utf8')) as Site;
  const texts = new Map<string, string>();
  const output = {
    put(path: string, content: string | Uint8Array) {
      if (typeof content === 'string') texts.set(path, content);
      return {path, ...fingerprintOf(content), state: 'added'} as const;
    },
  };
  const makers = {
    hosts: hosts.flatMap(name => allHosts.get(name) ?? []),
    areHostsChosen: true,
    pages: [...pages.values(), ...further],
  };
  return {...(await composeSite({...site, hosts}, records, {chains: [], witnessed: []}, makers, output)), texts};
}
