import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {ifReadable} from '../../shared/if-readable.ts';
import {networkOf} from '../../shared/networks.ts';
import {SHIPPED_PAYEE, type Payee} from '../../shared/payees.ts';
import {priceOf} from '../../shared/price.ts';
import {visibleIn} from '../read/listing.ts';
import type {ProductRecord} from '../documents/record.ts';
import type {Changes} from '../write/changes.ts';
import {CATALOGUE_FILE, SIGNATURE_FILE} from '../../shared/paths.ts';
import type {PublicKey} from '../../shared/public-key.ts';

/** What a stock x402 client pays at most for one request, unless it is told otherwise. */
const CLIENT_LIMIT = priceOf('$1.00');

/** What a publisher should know about the products, and is free to leave as it is. */
export function notesOn(records: readonly ProductRecord[]): string[] {
  return [...dearPrices(records), ...givenAway(records), ...withoutGoods(records)];
}

/** The payee of the demonstration on a main network, with which `start`, `deploy` and `verify` fail. */
export async function placeholderPayees(accepts: readonly Payee[]): Promise<string[]> {
  const shipped = accepts.filter(({pay_to}) => pay_to.toLowerCase() === SHIPPED_PAYEE.toLowerCase());
  const networks = await Promise.all(shipped.map(({network}) => networkOf(network)));
  const main = networks.filter(({isTest}) => !isTest);
  return main.map(({name}) => `${SHIPPED_PAYEE}, paid on ${name}, is the payee of the demonstration, and not yours`);
}

/** Prices that most buyers' programs will refuse to pay. */
function dearPrices(records: readonly ProductRecord[]): string[] {
  const dear = records.filter(({price}) => price.micros > CLIENT_LIMIT.micros);
  const limit = `stock x402 clients refuse to pay more than ${CLIENT_LIMIT.text} a request`;
  return dear.map(({title, price}) => `${title} costs ${price.text}: ${limit}`);
}

/** Products whose free sample shows every row that is sold. */
function givenAway(records: readonly ProductRecord[]): string[] {
  const away = records.filter(({goods}) => goods.type === 'rows' && goods.sold > 0 && goods.shown >= goods.sold);
  return about(away, titles => `the free sample shows all rows that are sold of ${titles}`);
}

/** Products that sell no row and no event. */
function withoutGoods(records: readonly ProductRecord[]): string[] {
  const without = records.filter(({goods}) => goods.sold === 0);
  return about(without, titles => `nothing but figures is sold of ${titles}`);
}

function about(records: readonly ProductRecord[], note: (titles: string) => string): string[] {
  return records.length === 0 ? [] : [note(someOf(records.map(({title}) => title)))];
}

/** A note on files among the products that are no products. Hidden files are not looked at. */
export function unread(root: string): string[] {
  const names = visibleIn(root, 'data/products')
    .filter(name => !name.endsWith('.json'))
    .sort();
  return names.length === 0
    ? []
    : [`only .json files are products; in data/products these are not read: ${someOf(names)}`];
}

/** Only documents belong below it. */
const DOCUMENTS = 'public/api/v1/';

/**
 * A note on files among the documents that this build did not write, e.g. left by a build whose catalogue git has taken back. Hidden files
 * are not looked at.
 */
export function strays(root: string, paths: readonly string[], {removed}: Pick<Changes, 'removed'>): string[] {
  const documents = paths.filter(path => path.startsWith(DOCUMENTS));
  const folders = new Set(documents.map(path => path.slice(0, path.lastIndexOf('/'))));
  const known = new Set([...documents, ...folders, ...removed]);
  const found = [...folders].flatMap(folder => visibleIn(root, folder).map(name => `${folder}/${name}`));
  const others = found.filter(path => !known.has(path));
  return others.length === 0
    ? []
    : [`the catalogue does not list these, so nobody would be asked to pay for them: delete ${someOf(others.sort())}`];
}

const MOST_NAMED = 5;

/** The first of these names, and how many more there are: `a, b, 2 more`. */
function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return [...names.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** A note if the published catalogue is not signed by the site's key. A build has no private key, so it cannot sign. */
export async function unsigned(root: string, key: PublicKey): Promise<string[]> {
  const {unsignedCatalogue} = await import('../../shared/detached-signature.ts');
  const read = (file: string) => ifReadable(() => readFileSync(join(root, file)));
  const catalogue = read(CATALOGUE_FILE);
  const fault = catalogue && (await unsignedCatalogue(read(SIGNATURE_FILE), catalogue, key));
  return fault === undefined ? [] : [fault];
}
