import {basename, dirname, join, resolve} from 'node:path';
import {FORMATS, JSON_TYPE, paths} from '../../shared/paths.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import type {Entry} from '../../shared/shapes.ts';
import {readBounded} from './bounded-file.ts';
import {documentsOf, entryOf, paidOf} from './catalogue.ts';
import {failed, passed, unchecked, type Check} from './check.ts';
import type {Examiner} from './examiner.ts';
import type {Identity} from './examiner-process.ts';
import type {Recomputed} from './recompute.ts';
import {MAX_BYTES} from './bounds.ts';
import type {PinOf} from './signature/pin.ts';
import {digestFault, type Shelf} from './shelf.ts';
import {openSite} from './verify-site.ts';
import {NoAnswer, type Web} from './web.ts';

/** A document by itself, as a buyer holds it. */
export interface Bought {
  readonly file: string;
  readonly examiner: Examiner;
  /** A file or an address. */
  readonly schema?: string | undefined;
  /** The site whose catalogue lists the document. */
  readonly site?: Shelf | undefined;
  readonly pinOf?: PinOf | undefined;
  readonly recomputed?: Recomputed | undefined;
  /** Opens an origin, for a schema at an address. */
  readonly openWeb: (origin: string) => Web;
}

/** Every check of one document: schema, digest, figures, signatures, texts; with its site, its bytes and its place in the catalogue. */
export async function verifyDocument(bought: Bought): Promise<Check[]> {
  const {file, examiner, site, recomputed} = bought;
  const trust = {examiner, pinOf: bought.pinOf};
  const subject = basename(file);
  const bytes = await readBounded(file, MAX_BYTES);
  const ending = [FORMATS.csv.ending, FORMATS.parquet.ending].find(end => file.endsWith(end));
  if (ending !== undefined) return site ? listedFile(site, trust, subject, bytes) : [noSite(subject)];
  const {identity, checks: unreadable} = await examiner.examine({type: 'identity', subject, bytes});
  if (unreadable.length > 0) return [...unreadable];
  if (!identity) throw new InputError({file, rule: 'is no document of a site of this kind: it names no product'});
  const listed: Placed = site ? await listedChecks(site, trust, subject, bytes, identity) : {checks: [noSite(subject)]};
  const schema = await schemaOf(bought, identity, listed.entry);
  const rows = identity.path === paths.paid(identity.name) ? listed.entry?.paid.rows : undefined;
  const {checks} = await examiner.examine({type: 'document', subject, bytes, schema, rows});
  return [...listed.checks, ...checks, ...(recomputed?.compare(identity.path, bytes) ?? [])];
}

/** The examiner and the known key for the catalogue of a bought document. */
type Trust = Pick<Bought, 'examiner' | 'pinOf'>;

/** A document's entry in a catalogue, where there is one, and what was found on the way. */
interface Placed {
  readonly entry?: Entry;
  readonly checks: readonly Check[];
}

/** Whether a file that names no product is a paid document that the catalogue lists. */
async function listedFile(site: Shelf, trust: Trust, subject: string, bytes: Uint8Array): Promise<Check[]> {
  const {catalogue, checks} = await openSite(site, trust);
  const found = catalogue.products.flatMap(paidOf).find(({listed}) => digestFault(bytes, listed) === undefined);
  const check = found
    ? passed('bytes', subject, `is what ${site.name} lists as ${found.path}`)
    : failed('bytes', subject, `is no paid document that ${site.name} lists`);
  return [...checks, check];
}

function noSite(subject: string): Check {
  return unchecked('bytes', subject, 'give its site with --site to compare with what was for sale');
}

/** The document's place in the catalogue, and whether it is what the catalogue lists. */
async function listedChecks(
  site: Shelf,
  trust: Trust,
  subject: string,
  bytes: Uint8Array,
  {name, path}: Identity,
): Promise<Placed> {
  const {catalogue, checks} = await openSite(site, trust);
  const entry = entryOf(catalogue, name);
  const document = [...documentsOf(entry), ...paidOf(entry)].find(one => one.path === path);
  const fault = document ? digestFault(bytes, document.listed) : `is ${path}, which ${site.name} does not list`;
  const fine = `is what ${site.name} lists as ${path}`;
  return {entry, checks: [...checks, fault ? failed('bytes', subject, fault) : passed('bytes', subject, fine)]};
}

/** The schema that was given, else that of the site, else the one beside the document where it stands in a tree. */
async function schemaOf(
  bought: Bought,
  {name, part}: Identity,
  entry: Entry | undefined,
): Promise<Uint8Array | undefined> {
  const {schema, site, file} = bought;
  if (schema !== undefined)
    return /^https?:\/\//.test(schema) ? fetchSchema(bought, schema) : readBounded(schema, MAX_BYTES);
  const wanted = part === 'sample' ? paths.sampleSchema(name) : paths.paidSchema(name);
  if (site && entry) return (await site.read(wanted, JSON_TYPE, MAX_BYTES)).bytes;
  const api = part === 'sample' ? dirname(dirname(resolve(file))) : dirname(resolve(file));
  return readBounded(join(api, 'schemas', basename(wanted)), MAX_BYTES).catch((error: unknown) => {
    if (error instanceof InputError) return undefined;
    throw error;
  });
}

async function fetchSchema({openWeb}: Bought, address: string): Promise<Uint8Array> {
  if (!URL.canParse(address)) throw new InputError({file: shownAddress(address), rule: 'is not an address'});
  const {origin, pathname, search} = new URL(address);
  using web = openWeb(origin);
  const answer = await web.ask({target: pathname + search});
  if (!(answer instanceof NoAnswer) && answer.status === 200) return answer.bytes;
  const rule = answer instanceof NoAnswer ? answer.message : `answers ${answer.status}, and no schema`;
  throw new InputError({file: shownAddress(address), rule});
}
