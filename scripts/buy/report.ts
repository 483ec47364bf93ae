import {errorsForPrograms} from '../../shared/error-text.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {InputError} from '../../shared/fault.ts';
import {printable} from '../../shared/printable.ts';
import pc from '../terminal/colours.ts';
import {size} from '../terminal/meter.ts';
import {textTable, type Paint} from '../terminal/table.ts';
import {readObject} from '../../buyer/verify/untrusted-json.ts';
import type {Look} from '../../buyer/buy/buyer.ts';
import {isMain, NETWORKS, optionFor} from '../../buyer/buy/networks.ts';
import type {Bought, Owned} from '../../buyer/buy/owned.ts';
import {mediaTypeOf, soldOf, titleOf} from '../../buyer/buy/sold.ts';

const WIDEST = 120;
const plain: Paint = text => text;
const label: Paint = text => pc.dim(text);

/** Returns a line for each paid document of a site: every product, followed by its parts and formats. */
export function soldLines({products}: Catalogue, owned: readonly Owned[]): string {
  const digests = new Set(owned.map(({sha256}) => sha256));
  const rows = products
    .flatMap(soldOf)
    .map(sold => [
      sold.document.name,
      sold.entry.price,
      sold.entry.as_of,
      digests.has(sold.document.listed.sha256) ? 'owned' : '',
      titleOf(sold),
    ]);
  return textTable(rows, () => plain, WIDEST).join('\n');
}

/**
 * Describes a document before it is paid: terms, digest, sample, and schema or columns.
 *
 * @param named the network that the buyer named, if any
 */
export function offerLines({offer}: Look, named?: string): string {
  const {entry, document, url, sample, schema, terms} = offer;
  const {type, listed} = document;
  const {network, payTo} = terms.requirements;
  const free = readObject({url: entry.sample.url}, sample);
  const rows = [
    ['title', titleOf(offer)],
    ['address', url],
    ['as of', entry.as_of],
    ['price', `${entry.price} on ${NETWORKS[network] ?? network}, to ${payTo}`],
    ['document', `${size(listed.bytes)} of ${mediaTypeOf(type)}, SHA-256 ${listed.sha256}`],
    ['sample', [free['reason'], free['note'], free['title']].find(isText) ?? ''],
    ...(named === undefined && isMain(network) ? [['real money', `needs --network ${optionFor(network)}`]] : []),
    // The schema of the product describes its JSON documents only.
    document.edition === undefined || document.edition.format === 'json'
      ? ['schema', requiredMembers(readObject({url: entry.schemas.paid.url}, schema))]
      : ['columns', (entry.columns ?? []).map(({name}) => name).join(', ')],
  ];
  return textTable(rows, (_, column) => (column === 0 ? label : plain), WIDEST).join('\n');
}

function requiredMembers({required}: ReturnType<typeof readObject>): string {
  return Array.isArray(required) ? `requires ${required.filter(isText).join(', ')}` : 'requires nothing';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Returns the same as JSON, with the whole sample and schema, and the errors if `buy` would refuse it. */
export function offerForPrograms({offer, owned, rewriteFaults, limitFaults}: Look): object {
  const faults = [...rewriteFaults, ...limitFaults];
  const {entry, document, url, sample, schema, terms} = offer;
  const {name, type, listed} = document;
  return {
    ok: faults.length === 0,
    ...{name, product: entry.name, title: titleOf(offer), address: url, as_of: entry.as_of, price: entry.price, type},
    ...{sha256: listed.sha256, bytes: listed.bytes, requirements: terms.requirements},
    sample: readObject({url: entry.sample.url}, sample),
    schema: readObject({url: entry.schemas.paid.url}, schema),
    owned: owned?.folder ?? null,
    ...(faults.length > 0 && errorsForPrograms(new InputError(faults))),
  };
}

/** Returns the result of a purchase as one line, and a second line if a site with a key did not sign the receipt. */
export function boughtLine({kind, folder, transaction, unconfirmed}: Bought): string {
  const [words = ''] = textTable([[folder]], () => plain);
  if (kind === 'owned') return `${pc.green('owned')}   ${words}: nothing was paid`;
  const note = unconfirmed === undefined ? '' : `\n${pc.yellow('noted')}   the site ${printable(unconfirmed)}`;
  if (kind === 'again') return `${pc.green('again')}   ${words}: was paid before, nothing was paid now${note}`;
  const paidIn = transaction === undefined ? 'a transaction that the site does not name' : `transaction ${transaction}`;
  return `${pc.green('bought')}  ${words}, in ${paidIn}${note}`;
}
