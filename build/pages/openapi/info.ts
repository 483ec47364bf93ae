import type {ProductRecord} from '../../documents/record.ts';
import {paths} from '../../../shared/paths.ts';
import type {Json} from '../../kinds/kind.ts';
import type {Site} from '../../read/site.ts';
import {describe} from '../index/hero.ts';

/** Discovery tools take no longer guidance, in characters. */
const MOST_GUIDANCE = 4_000;

/** Who publishes what, for the `info` of the description. */
export function infoOf(site: Site, products: readonly ProductRecord[]): Json {
  return {
    title: site.title,
    version: '1.0.0',
    summary: describe(site),
    description:
      'Frozen JSON documents. Free paths answer GET, HEAD and OPTIONS, paid paths GET and OPTIONS, each spelled exactly as here. The shape of v1 never changes; a changed shape is v2 beside it.',
    'x-guidance': guidance(products),
    contact: {name: site.title, ...(site.contact ?? {url: `${site.base_url}/`})},
    ...(site.license && {license: site.license}),
  };
}

/** What an agent must know to buy, and as many prices as there is room for. */
function guidance(products: readonly ProductRecord[]): string {
  const how =
    'GET /api/v1/index.json is free and lists every product with price, as_of, size and SHA-256. ' +
    'Each has a free sample at /api/v1/samples/{name}.json. GET /api/v1/{name} is paid: it answers 402 with x402 v2 ' +
    'terms in the header PAYMENT-REQUIRED; send it again with PAYMENT-SIGNATURE. A document changes only with its as_of: ' +
    'compare its SHA-256 in the catalogue before paying twice.';
  const lines = products.map(
    ({name, price, difference}) => `GET ${paths.paid(name)} costs ${price.text.slice(1)} USD: it ${difference}.`,
  );
  return lines.reduce((text, line) => (text.length + line.length < MOST_GUIDANCE ? `${text}\n${line}` : text), how);
}
