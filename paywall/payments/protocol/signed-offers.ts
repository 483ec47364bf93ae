import type {PaymentRequirements} from '@x402/core/types';
import type {Sign} from '../../site/site-signer.ts';
import type {Snapshot} from './offer.ts';

/** The extension `offer-receipt` of x402. */
export const OFFER_RECEIPT = 'offer-receipt';

const SCHEMA = {type: 'object', required: ['offers'], properties: {offers: {type: 'array'}}};

/**
 * An offer is valid for at least so many seconds, as long as the payment that answers it, and at most for twice as many. Gates with one
 * key sign the same offers meanwhile.
 */
const VALID_S = 300;

/** The document and the terms that are signed. */
export interface Offered {
  readonly url: string;
  readonly price: string;
  readonly snapshot: Snapshot;
  readonly requirements: readonly PaymentRequirements[];
}

/** The extension `offer-receipt` in the body of a 402. In the header it would not fit: each offer has about 1,000 bytes there. */
export type SignedOffers = Awaited<ReturnType<ReturnType<typeof signedOffers>>>;

/**
 * Signs what is offered, once for all requests of the same five minutes: the same object until then. In addition to what x402 asks for,
 * the payload has the SHA-256 and `as_of` of the document and the price in dollars, which stock clients ignore.
 */
export function signedOffers({url, price, snapshot, requirements}: Offered, sign: Sign) {
  const {sha256, as_of} = snapshot;
  const make = async (validUntil: number) => {
    const offers = requirements.map(async ({scheme, network, asset, payTo, amount}, acceptIndex) => {
      const terms = {version: 1, resourceUrl: url, scheme, network, asset, payTo, amount, validUntil};
      return {format: 'jws', acceptIndex, signature: await sign({...terms, sha256, as_of, price})};
    });
    return {validUntil, extension: {info: {offers: await Promise.all(offers)}, schema: SCHEMA}};
  };
  let last: Awaited<ReturnType<typeof make>> | undefined;
  return async function offersNow() {
    const validUntil = (Math.floor(Date.now() / 1000 / VALID_S) + 2) * VALID_S;
    // The promise is not shared: in a Worker one request cannot await the work of another.
    if (last?.validUntil !== validUntil) last = await make(validUntil);
    return last.extension;
  };
}
