import type {PaymentRequirements} from '@x402/core/types';
import type {Sign} from '../../site/site-signer.ts';

const SCHEMA = {type: 'object', required: ['offers'], properties: {offers: {type: 'array'}}};

/**
 * The minimum validity of an offer in seconds: as long as a payment is valid. The maximum is twice as long. Offers of one period are equal,
 * also those of other gates with the same key.
 */
const VALID_S = 300;

/** The x402 extension `snapshot`: the version of the document that is for sale, as in the catalogue. A payment echoes it. */
export interface Snapshot {
  /** The digest of the document. */
  readonly sha256: string;
  readonly as_of: string;
  /** When the next snapshot is expected. */
  readonly next_expected?: string;
  /** The number of later snapshots that the payment includes. */
  readonly later_snapshots?: number;
}

/** The document and the terms to sign. */
interface Offered {
  readonly url: string;
  readonly price: string;
  readonly snapshot: Snapshot;
  readonly requirements: readonly PaymentRequirements[];
}

/** The extension `offer-receipt` in the body of a 402. It would not fit in the header, because each offer takes about 1,000 bytes. */
export interface SignedOffers {
  readonly info: {
    readonly offers: readonly {readonly format: string; readonly acceptIndex: number; readonly signature: string}[];
  };
  readonly schema: object;
}

/**
 * Returns a function that signs the offers of a document once every five minutes, and returns the same object in between, without a promise.
 * In addition to the members that x402 requires, the payload has the SHA-256 and `as_of` of the document and the price in dollars, which stock
 * clients ignore.
 */
export function signedOffers({url, price, snapshot, requirements}: Offered, sign: Sign) {
  const {sha256, as_of} = snapshot;
  let last: {readonly validUntil: number; readonly extension: SignedOffers} | undefined;

  async function renew(validUntil: number): Promise<SignedOffers> {
    const offers = requirements.map(async ({scheme, network, asset, payTo, amount}, acceptIndex) => {
      const terms = {version: 1, resourceUrl: url, scheme, network, asset, payTo, amount, validUntil};
      return {format: 'jws', acceptIndex, signature: await sign({...terms, sha256, as_of, price})};
    });
    last = {validUntil, extension: {info: {offers: await Promise.all(offers)}, schema: SCHEMA}};
    return last.extension;
  }

  return function offersNow(): SignedOffers | Promise<SignedOffers> {
    const validUntil = (Math.floor(Date.now() / 1000 / VALID_S) + 2) * VALID_S;
    // The promise is not shared: in a Worker one request cannot await the work of another.
    return last?.validUntil === validUntil ? last.extension : renew(validUntil);
  };
}
