import {InputError, refuse} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import type {Entry} from '../../shared/shapes.ts';
import {MAX_BYTES} from '../verify/bounds.ts';
import {entryOf} from '../verify/catalogue.ts';
import type {Examiner} from '../verify/examiner.ts';
import {digestFault} from '../verify/shelf.ts';
import {readObject} from '../verify/untrusted-json.ts';
import {NoAnswer} from './ask.ts';
import {failuresIn, readListed, type Site} from './site.ts';
import {termsIn, type Terms} from './terms.ts';

/** Everything that a buyer can know of a document before paying. */
export interface Offer {
  readonly site: Site;
  readonly entry: Entry;
  /** The path of the paid document. */
  readonly path: string;
  /** Its address, for messages. */
  readonly file: string;
  readonly sample: Uint8Array;
  readonly schema: Uint8Array;
  readonly terms: Terms;
}

/**
 * Looks at a product. Throws `InputError` if the site has no product of this name, or contradicts itself.
 *
 * @param network the network to pay on; by default the first one in the catalogue that buyers pay on
 */
export async function offerOf(site: Site, name: string, network?: string): Promise<Offer> {
  const entry = entryOf(site.catalogue, name);
  const path = paths.paid(name);
  const file = site.origin + path;
  const sample = await readListed(site, paths.sample(name), entry.sample);
  const schema = await readListed(site, paths.paidSchema(name), entry.schemas.paid);
  readObject(site.origin + paths.sample(name), sample);
  if (entry.paid.bytes > MAX_BYTES)
    throw new InputError({file, rule: `has ${entry.paid.bytes} bytes, and no more than ${MAX_BYTES} are downloaded`});
  const answer = await site.ask(path, {maxBytes: MAX_BYTES}).catch((cause: unknown) => {
    if (cause instanceof NoAnswer) throw new InputError({file, rule: cause.message}, {cause});
    throw cause;
  });
  return {site, entry, path, file, sample, schema, terms: await termsIn(answer, file, entry, site.catalogue, network)};
}

/** Throws `InputError` where what comes could not be checked, for its schema is none. */
export async function refuseWithoutSchema({site, entry, schema}: Offer, examiner: Examiner): Promise<void> {
  const exam = {baseUrl: site.catalogue.base_url, entry, parts: {paidSchema: schema}};
  const {checks} = await examiner.examine({type: 'product', subject: entry.name, exam});
  const file = site.origin + paths.paidSchema(entry.name);
  refuse(failuresIn(checks).map(({detail}) => ({file, rule: detail})));
}

/** Why bytes are not the document that is for sale. */
export async function documentFaults(
  {entry, path, schema}: Offer,
  bytes: Uint8Array,
  examiner: Examiner,
): Promise<string[]> {
  const mismatch = digestFault(bytes, entry.paid);
  const {checks} = await examiner.examine({type: 'document', subject: path, bytes, schema});
  return [...(mismatch === undefined ? [] : [mismatch]), ...failuresIn(checks).map(({detail}) => detail)];
}
