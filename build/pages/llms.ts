import type {ProductRecord} from '../documents/record.ts';
import {paths} from '../../shared/paths.ts';
import type {Site} from '../read/site.ts';
import {describe} from './index/hero.ts';
import {code, heading, link, list, markdown, paragraph, quote, text} from './llms/markdown.ts';
import type {Page} from './page.ts';

/** Models read all of it before anything else: with more products, the catalogue has the rest. */
const MOST_PRODUCTS = 200;

/** The site for language models (llmstxt.org): what is sold, what it costs, and how to buy it. */
export default {
  path: '/llms.txt',
  type: 'text/plain; charset=utf-8',

  compose(site, all) {
    const products = all.slice(0, MOST_PRODUCTS);
    const more = all.length - products.length;
    const {base_url, license, contact} = site;
    const address = contact?.email ?? contact?.url;
    return markdown([
      heading(1, site.title),
      quote(describe(site)),
      paragraph(
        text('Every document is frozen at its '),
        code('as_of'),
        text(': the same address gives the same bytes until a newer snapshot takes its place. '),
        text('Read the free sample, then GET the paid address. Unpaid it answers 402 with the terms in the header '),
        code('PAYMENT-REQUIRED'),
        text(' (x402 version 2, scheme exact, USDC). Send the request again with the header '),
        code('PAYMENT-SIGNATURE'),
        text(' to get the document. The catalogue has size and SHA-256 of every document: know what you get, and '),
        text('whether it changed since you last paid.'),
      ),
      heading(2, 'Documents for sale'),
      list(products.map(product => [...paidLine(site, product)])),
      ...(more > 0
        ? [
            paragraph(
              text(`And ${more} more, with the same paths: see the `),
              link('catalogue', base_url + paths.catalogue),
            ),
          ]
        : []),
      heading(2, 'Free samples'),
      list(products.map(({name, title}) => [link(`${title} Sample`, base_url + paths.sample(name))])),
      heading(2, 'For programs'),
      list([
        [link('Catalogue', base_url + paths.catalogue), text(': every product with the digest of each document')],
        [link('OpenAPI 3.1', `${base_url}/openapi.json`), text(': every path, schema and price')],
        [link('Atom feed', `${base_url}/feed.xml`), text(': an entry for each new snapshot')],
      ]),
      heading(2, 'Optional'),
      list([
        ...products.flatMap(product => [
          [link(`History of ${product.title}`, base_url + paths.history(product.name))],
          [link(`Schema of ${product.title}`, base_url + paths.paidSchema(product.name))],
        ]),
        ...(license ? [[text('Licence: '), link(license.name, license.url)]] : []),
        ...(address === undefined ? [] : [[text(`Contact: ${address}`)]]),
      ]),
    ]);
  },
} satisfies Page;

function paidLine({base_url}: Site, product: ProductRecord) {
  const {as_of, finding} = product.published;
  return [
    link(product.title, base_url + paths.paid(product.name)),
    text(`: ${product.price.text} a request, as of ${as_of}. It ${product.difference}. Now: ${finding}.`),
  ];
}
