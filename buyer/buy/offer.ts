import {InputError} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import {MAX_BYTES} from '../verify/bounds.ts';
import type {Check} from '../verify/check.ts';
import type {Examiner} from '../verify/examiner.ts';
import {digestFault} from '../verify/site-reader.ts';
import type {Answer} from './ask.ts';
import {failuresIn, readListed, refuseFailed, type LiveSite} from './site.ts';
import {soldAs, type Sold} from './sold.ts';
import {termsIn, type Terms} from './terms.ts';

/** Everything that a buyer knows about a document before paying. */
export interface Offer extends Sold {
  readonly site: LiveSite;
  /** The address of the document. */
  readonly url: string;
  readonly sample: Uint8Array;
  /** The schema of its product's paid documents in JSON. */
  readonly schema: Uint8Array;
  readonly terms: Terms;
}

/** The name of a document becomes a folder, and file systems limit names to 255 bytes. */
const MOST_CHARACTERS = 255;

/**
 * Reads everything about a paid document. Throws `InputError` if the site does not sell it, or contradicts itself. The network is by default
 * the first one in the catalogue that buyers support.
 */
export async function offerOf(site: LiveSite, name: string, network?: string): Promise<Offer> {
  const sold = soldAs(site, name);
  const {entry, document} = sold;
  const url = site.origin + document.path;
  const sample = await readListed(site, paths.sample(entry.name), entry.sample);
  const schema = await readListed(site, paths.paidSchema(entry.name), entry.schemas.paid);
  const {bytes} = document.listed;
  if (bytes > MAX_BYTES)
    throw new InputError({code: 'FZ616', url, rule: `has ${bytes} bytes, more than the limit of ${MAX_BYTES}`});
  if (name.length > MOST_CHARACTERS) {
    const rule = `has a name of more than ${MOST_CHARACTERS} characters, which is too long for a folder`;
    throw new InputError({code: 'FZ608', url, rule});
  }
  const answer = await site.ask(document.path, {maxBytes: MAX_BYTES});
  return {...sold, site, url, sample, schema, terms: await termsIn(answer, url, sold, site.catalogue, network)};
}

/** Throws `InputError` if the sample is not a JSON object. The examiner parses it, because that can need unlimited memory. */
export async function refuseBadSample({site, entry, sample}: Offer, examiner: Examiner): Promise<void> {
  const url = site.origin + paths.sample(entry.name);
  const {checks} = await examiner.examine({type: 'identity', subject: url, bytes: sample});
  refuseFailed(url, checks);
}

/** Throws `InputError` if the schema is not a valid JSON Schema, because a JSON document could not be checked after the purchase. */
export async function refuseWithoutSchema({site, entry, schema}: Offer, examiner: Examiner): Promise<void> {
  const exam = {baseUrl: site.catalogue.base_url, entry, parts: {paidSchema: schema}};
  const {checks} = await examiner.examine({type: 'product', subject: entry.name, exam});
  refuseFailed(site.origin + paths.paidSchema(entry.name), checks);
}

/**
 * Returns the differences between the received bytes and the document for sale: size and digest, the schema, and for a part the agreement
 * with catalogue and sample.
 */
export async function documentFaults(
  offer: Offer,
  {bytes}: Pick<Answer, 'bytes'>,
  examiner: Examiner,
): Promise<string[]> {
  const mismatch = digestFault(bytes, offer.document.listed);
  return [
    ...(mismatch === undefined ? [] : [mismatch]),
    ...failuresIn(await checksOf(offer, bytes, examiner)).map(({detail}) => detail),
  ];
}

/** Returns the checks of a JSON document. Other formats have no schema, so only their digest is checked. */
async function checksOf(
  {entry, document, sample, schema}: Offer,
  bytes: Uint8Array,
  examiner: Examiner,
): Promise<readonly Check[]> {
  const {path: subject, edition} = document;
  if (!edition)
    return (await examiner.examine({type: 'document', subject, bytes, schema, rows: entry.paid.rows})).checks;
  if (edition.format !== 'json') return [];
  const exam = {entry, document, bytes, schema, sample, json: undefined};
  return (await examiner.examine({type: 'edition', subject, exam})).checks;
}
