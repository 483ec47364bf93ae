import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {firstOf} from '../../shared/english.ts';
import {ifReadable} from '../../shared/if-readable.ts';
import {networkOf} from '../../shared/networks.ts';
import {SHIPPED_PAYEE, type Payee} from '../../shared/payees.ts';
import {priceOf} from '../../shared/price.ts';
import {visibleIn} from '../read/listing.ts';
import type {ProductRecord} from '../documents/record.ts';
import type {Changes} from '../write/changes.ts';
import {CATALOGUE_FILE, SIGNATURE_FILE} from '../../shared/paths.ts';
import type {PublicKey} from '../../shared/public-key.ts';

/** The default spending limit of x402 clients for one request. */
const CLIENT_LIMIT = priceOf('$1.00');

/** Notes about products for the publisher. They do not prevent publishing. */
export function notesOn(records: readonly ProductRecord[]): string[] {
  const limit = `x402 clients with default settings refuse to pay more than ${CLIENT_LIMIT.text} a request`;
  const expensive = records.filter(({price}) => price.micros > CLIENT_LIMIT.micros);
  const complete = records.filter(({paidContent: {type, sold, shown}}) => type === 'rows' && sold > 0 && shown >= sold);
  const onlyFigures = records.filter(({paidContent}) => paidContent.sold === 0);
  const titles = (some: readonly ProductRecord[]) => someOf(some.map(({title}) => title));
  return [
    ...expensive.map(({title, price}) => `${title} costs ${price.text}: ${limit}`),
    ...(complete.length > 0 ? [`the free sample shows all rows that are for sale: ${titles(complete)}`] : []),
    ...(onlyFigures.length > 0 ? [`only figures are for sale: ${titles(onlyFigures)}`] : []),
  ];
}

/** Notes about the demonstration's payee on a main network, which `start`, `deploy` and `verify` refuse. */
export async function placeholderPayees(accepts: readonly Payee[]): Promise<string[]> {
  const shipped = accepts.filter(({pay_to}) => pay_to.toLowerCase() === SHIPPED_PAYEE.toLowerCase());
  const networks = await Promise.all(shipped.map(({network}) => networkOf(network)));
  const main = networks.filter(({isTest}) => !isTest);
  return main.map(({name}) => `${SHIPPED_PAYEE}, paid on ${name}, is the payee of the demonstration, not yours`);
}

/** A note about files in `data/products` that are not products. Hidden files are ignored. */
export function ignoredFiles(root: string): string[] {
  const names = visibleIn(root, 'data/products')
    .filter(name => !name.endsWith('.json'))
    .sort();
  return names.length === 0
    ? []
    : [`only .json files are products; in data/products these are not read: ${someOf(names)}`];
}

const DOCUMENTS = 'public/api/v1/';

/** A note about visible files among the documents that this build did not write, such as those of a build that was reverted with git. */
export function unlistedFiles(root: string, paths: readonly string[], {removed}: Pick<Changes, 'removed'>): string[] {
  const documents = paths.filter(path => path.startsWith(DOCUMENTS));
  const folders = new Set(documents.map(path => path.slice(0, path.lastIndexOf('/'))));
  const known = new Set([...documents, ...folders, ...removed]);
  const found = [...folders].flatMap(folder => visibleIn(root, folder).map(name => `${folder}/${name}`));
  const others = found.filter(path => !known.has(path));
  return others.length === 0
    ? []
    : [
        `the catalogue does not list these, and hosts would serve them without payment: delete ${someOf(others.sort())}`,
      ];
}

const MOST_NAMED = 5;

const someOf = (names: readonly string[]) => firstOf(names, MOST_NAMED);

/** A note if the published catalogue is not signed with the site's key. A build cannot sign, because it does not have the private key. */
export async function unsigned(root: string, key: PublicKey): Promise<string[]> {
  const {unsignedCatalogue} = await import('../../shared/detached-signature.ts');
  const read = (file: string) => ifReadable(() => readFileSync(join(root, file)));
  const catalogue = read(CATALOGUE_FILE);
  const fault = catalogue && (await unsignedCatalogue(read(SIGNATURE_FILE), catalogue, key));
  return fault === undefined ? [] : [fault];
}
