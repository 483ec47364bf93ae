import type {Catalogue} from '../../shared/shapes.ts';
import {printable} from '../../shared/printable.ts';
import pc from '../terminal/colours.ts';
import {size} from '../terminal/meter.ts';
import {textTable, type Paint} from '../terminal/table.ts';
import {readObject} from '../verify/untrusted-json.ts';
import type {Bought, Look} from './buyer.ts';
import type {Owned} from './shelf.ts';
import {NETWORKS} from './networks.ts';

const WIDEST = 120;
const plain: Paint = text => text;
const label: Paint = text => pc.dim(text);

/** A line for each product of a site. */
export function productLines({products}: Catalogue, owned: readonly Owned[]): string {
  const digests = new Set(owned.map(({sha256}) => sha256));
  const rows = products.map(({name, title, price, as_of, paid}) => [
    name,
    price,
    as_of,
    digests.has(paid.sha256) ? 'owned' : '',
    title,
  ]);
  return `${textTable(rows, () => plain, WIDEST).join('\n')}\n`;
}

/** Everything that is known of a document before it is paid. */
export function offerLines({offer}: Look): string {
  const {entry, file, sample, schema, terms} = offer;
  const {network, payTo} = terms.requirements;
  const free = readObject(entry.sample.url, sample);
  const {required} = readObject(entry.schemas.paid.url, schema);
  const rows = [
    ['title', entry.title],
    ['address', file],
    ['as of', entry.as_of],
    ['price', `${entry.price} on ${NETWORKS[network] ?? network}, to ${payTo}`],
    ['document', `${size(entry.paid.bytes)}, SHA-256 ${entry.paid.sha256}`],
    ['sample', [free['reason'], free['note'], free['title']].find(isText) ?? ''],
    ['schema', Array.isArray(required) ? `requires ${required.filter(isText).join(', ')}` : 'requires nothing'],
  ];
  return `${textTable(rows, (_, column) => (column === 0 ? label : plain), WIDEST).join('\n')}\n`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The same for programs, with all of sample and schema. */
export function offerForPrograms({offer, owned, rewritten, tooDear}: Look): object {
  const {entry, file, sample, schema, terms} = offer;
  return {
    ...{name: entry.name, title: entry.title, address: file, as_of: entry.as_of, price: entry.price},
    ...{sha256: entry.paid.sha256, bytes: entry.paid.bytes, requirements: terms.requirements},
    sample: readObject(entry.sample.url, sample),
    schema: readObject(entry.schemas.paid.url, schema),
    owned: owned?.folder ?? null,
    refused: (rewritten ?? tooDear)?.message ?? null,
  };
}

/** What came of it, in one line; in two where the site signs, and did not sign this. */
export function boughtLine({kind, folder, transaction, unconfirmed}: Bought): string {
  const [words = ''] = textTable([[folder]], () => plain);
  if (kind === 'owned') return `${pc.green('owned')}   ${words}: nothing was paid\n`;
  const note = unconfirmed === undefined ? '' : `${pc.yellow('noted')}   the site ${printable(unconfirmed)}\n`;
  if (kind === 'again') return `${pc.green('again')}   ${words}: was paid before, nothing was paid now\n${note}`;
  return `${pc.green('bought')}  ${words}, by ${transaction ?? 'a transaction that the site does not name'}\n${note}`;
}
