import type {ProductRecord} from '../documents/record.ts';
import type {BlockContent, ListItem, Paragraph, PhrasingContent} from 'mdast';
import {toMarkdown} from 'mdast-util-to-markdown';
import {editionTitle, editionPath, paths} from '../../shared/paths.ts';
import {withoutControls} from '../../shared/printable.ts';
import type {Site} from '../read/site.ts';
import {editionContents, termsOf, describe, SHOWN_EDITIONS} from './html/words.ts';
import {forPrograms, listedIn, type Page} from './page.ts';

/** Bounded because models read the whole file. The catalogue has all products. */
const MOST_PRODUCTS = 200;

/**
 * The site for language models (llmstxt.org): what is sold, what it costs, and how to buy it. Below a heading the format allows only links,
 * `- [name](url): note`.
 */
export default {
  path: '/llms.txt',
  type: 'text/plain; charset=utf-8',
  relation: 'service-doc',
  listed: {
    index: ['llms.txt', 'The same in Markdown, for language models.'],
    openapi: ['llms', 'The site in Markdown'],
  },

  compose(site, all, siteFiles) {
    const {base_url, title, license, contact} = site;
    const products = all.slice(0, MOST_PRODUCTS);
    const more = all.length - products.length;
    const address = contact?.email ?? contact?.url;
    const catalogue = base_url + paths.catalogue;
    const children = [
      heading(1, title),
      quote(describe(site)),
      prose(HOW_TO_BUY),
      ...(all.some(({pass}) => pass) ? [prose(HOW_TO_USE_A_PASS)] : []),
      ...(address === undefined ? [] : [paragraph(text(`Contact: ${address}`))]),
      heading(2, 'Documents for sale'),
      bulletList([
        ...products.flatMap(product => [paidLine(site, product), ...editionLines(site, product)]),
        ...(more > 0 ? [linkItem('Catalogue', catalogue, `${more} more products, with the same paths.`)] : []),
      ]),
      heading(2, 'Free samples'),
      bulletList(products.map(({name, title}) => linkItem(`${title} Sample`, base_url + paths.sample(name)))),
      heading(2, 'For programs'),
      bulletList(
        listedIn('llms', forPrograms(siteFiles)).map(({path, title, purpose}) =>
          linkItem(title, base_url + path, purpose),
        ),
      ),
      heading(2, 'Optional'),
      bulletList([
        ...products.flatMap(({name, title}) => [
          linkItem(`History of ${title}`, base_url + paths.history(name)),
          linkItem(`Schema of ${title}`, base_url + paths.paidSchema(name)),
        ]),
        ...(license ? [linkItem(license.name, license.url, 'the licence')] : []),
      ]),
    ];
    return withoutControls(toMarkdown({type: 'root', children}, {bullet: '-', resourceLink: true}));
  },
} satisfies Page;

const HOW_TO_BUY =
  'Every document is frozen at its `as_of`: the same address gives the same bytes until a newer snapshot replaces it. ' +
  'Read the free sample, then GET the paid address. Unpaid it answers 402 with the terms in the header `PAYMENT-REQUIRED` ' +
  '(x402 version 2, scheme exact, USDC). Send the request again with the header `PAYMENT-SIGNATURE` to get the document. ' +
  'If the answer is 409 or 503, wait for `Retry-After` and start again with the same wallet. ' +
  'If the document did not arrive, first answer the challenge `sign-in-with-x` of the 402 with that wallet (header `SIGN-IN-WITH-X`). ' +
  'The catalogue has the size and SHA-256 of every document, so you can see before paying whether it changed since your last purchase.';

const HOW_TO_USE_A_PASS =
  'A price for this snapshot and the next ones is the price of a pass: pay once, then GET the same address when there is a newer snapshot, ' +
  'and answer the challenge `sign-in-with-x` of its 402 with the wallet that paid (header `SIGN-IN-WITH-X`). That costs nothing. ' +
  'A client that cannot sign in sends a new payment of the same wallet, which is not charged. Collect each snapshot while it is for sale.';

/** Fixed text of this program, with code in backticks. */
function prose(words: string): Paragraph {
  const parts = words.split('`');
  return paragraph(
    ...parts.map((value, index) => (index % 2 === 0 ? text(value) : ({type: 'inlineCode', value} as const))),
  );
}

function paidLine({base_url}: Site, product: ProductRecord): PhrasingContent[] {
  const {name, title, difference, published} = product;
  const note = `${termsOf(product)}. It ${difference}. Now: ${published.summary}.`;
  return linkItem(title, base_url + paths.paid(name), note);
}

/** The parts and formats of a product. A long list is shortened. */
function editionLines({base_url}: Site, product: ProductRecord): PhrasingContent[][] {
  const {name, title, price, editions} = product;
  const shown = editions.slice(0, SHOWN_EDITIONS);
  const more = editions.length - shown.length;
  return [
    ...shown.map(edition => {
      const note = `${price.text} a request, ${editionContents(edition)}.`;
      return linkItem(editionTitle(title, edition), base_url + editionPath(name, edition), note);
    }),
    ...(more > 0 ? [linkItem('Catalogue', base_url + paths.catalogue, `${more} more editions of ${title}.`)] : []),
  ];
}

/** Parsers of the format do not support brackets in a name or parentheses in a URL, even if escaped. */
function linkItem(name: string, address: string, note?: string): PhrasingContent[] {
  const words = name.replaceAll('[', '(').replaceAll(']', ')');
  const url = address.replaceAll('(', '%28').replaceAll(')', '%29');
  return [{type: 'link', url, children: [text(words)]}, ...(note === undefined ? [] : [text(`: ${note}`)])];
}

// Text on one line without markup. The library escapes everything else.

function text(value: string): PhrasingContent {
  return {type: 'text', value: withoutControls(value).replaceAll('\n', String.raw`\u000a`)};
}

function heading(depth: 1 | 2, words: string): BlockContent {
  return {type: 'heading', depth, children: [text(words)]};
}

function quote(words: string): BlockContent {
  return {type: 'blockquote', children: [paragraph(text(words))]};
}

function paragraph(...children: PhrasingContent[]): Paragraph {
  return {type: 'paragraph', children};
}

function bulletList(items: readonly PhrasingContent[][]): BlockContent {
  const children = items.map((item): ListItem => ({type: 'listItem', spread: false, children: [paragraph(...item)]}));
  return {type: 'list', ordered: false, spread: false, children};
}
