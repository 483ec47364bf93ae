import {z} from '@x402/core/schemas';
import {OFFER_RECEIPT} from '../../shared/payment-protocol.ts';
import {InputError} from '../../shared/fault.ts';
import {soldBy, type Catalogue, type Entry} from '../../shared/shapes.ts';
import {noted, verdict, type Check} from './check.ts';
import {differences, offerIn} from './receipt-payload.ts';
import {readUntrusted} from './untrusted-json.ts';

export const signedSchema = z.object({format: z.literal('jws'), signature: z.string()});
const bodySchema = z.object({
  extensions: z.object({[OFFER_RECEIPT]: z.object({info: z.object({offers: z.array(signedSchema).max(50)})})}),
});

/** A signed statement of a gate: a compact JWS, as in the x402 extension `offer-receipt`. */
export type SignedStatement = Readonly<z.infer<typeof signedSchema>>;

/** Larger than the body of a 402 of a gate. Parsing a larger one could need too much memory. */
const MOST_BYTES = 1024 * 1024;

/** Returns the signed offers in the body of a 402, or none if it is not JSON of a gate of this project. */
export function signedOffersIn(body: Uint8Array): readonly SignedStatement[] {
  if (body.length > MOST_BYTES) return [];
  try {
    return bodySchema.safeParse(readUntrusted('the 402', body)).data?.extensions[OFFER_RECEIPT].info.offers ?? [];
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** Checks that the offers in a 402 are signed by the key of the site, with the digest and price in its catalogue. */
export async function offerChecks(
  body: Uint8Array,
  path: string,
  entry: Entry,
  {base_url, signing}: Catalogue,
): Promise<Check[]> {
  if (!signing) return [];
  const resourceUrl = base_url + path;
  const sha256 = soldBy(entry).find(({url}) => url === resourceUrl)?.sha256;
  const known = {resourceUrl, sha256, as_of: entry.as_of, price: entry.price};
  const offers = signedOffersIn(body);
  if (offers.length === 0)
    return [noted('offers', path, 'are not signed, because the gate does not have the signing key of its site')];
  const faults = offers.map(async ({signature}) => {
    try {
      return differences(await offerIn('offer', signature, signing), known);
    } catch (error) {
      if (error instanceof InputError) return error.faults.map(({rule}) => rule);
      throw error;
    }
  });
  return verdict('offers', path, (await Promise.all(faults)).flat(), 'are signed by the key of the site');
}
