import {z} from '@x402/core/schemas';
import {OFFER_RECEIPT} from '../../shared/payment-protocol.ts';
import {refuse} from '../../shared/fault.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {
  signedOffersIn,
  signedSchema,
  type SignedStatement,
  differences,
  offerSchema,
  readSigned,
  receiptSchema,
  signedFaults,
  type ReceiptPayload,
} from '../verify/receipt-payload.ts';
import type {Offer} from './offer.ts';
import type {Sold} from './sold.ts';
import type {Terms} from './terms.ts';

const extensionSchema = z.object({[OFFER_RECEIPT]: z.object({info: z.object({receipt: signedSchema})})});

/** The offer and the receipt that a site with a key signed for a sale. */
export interface Confirmation {
  /** The key of the site, as its catalogue named it. */
  readonly signing: PublicKey;
  readonly offer: SignedStatement | undefined;
  readonly receipt: SignedStatement | undefined;
  /** Why the receipt is invalid or missing, as the end of a sentence about the site. */
  readonly fault: string | undefined;
}

/**
 * Returns the signed offer in the body of a 402, or undefined if the site has no key or its gate does not sign. Throws `InputError` if the
 * signed terms differ from the requested ones: then nothing is paid.
 */
export async function signedOfferIn(
  body: Uint8Array,
  {url, entry, document, requirements, ahead}: Pick<Terms, 'requirements' | 'ahead'> & Sold & Pick<Offer, 'url'>,
  {signing}: Pick<Catalogue, 'signing'>,
): Promise<SignedStatement | undefined> {
  if (!signing) return undefined;
  const {scheme, network, asset, payTo, amount} = requirements;
  const known = {...factsOf({entry, document}), price: entry.price, scheme, network, asset, payTo, amount};
  const place = `${url}, signed offer`;
  const faults: string[] = [];
  for (const offer of signedOffersIn(body)) {
    const said = await readSigned(place, offer.signature, signing, offerSchema);
    const isOver = said.validUntil * 1000 < Date.now() + ahead;
    const wrong = [...differences(said, known), ...(isOver ? ['has expired'] : [])];
    if (wrong.length === 0) return offer;
    faults.push(...wrong);
  }
  refuse(faults.map(rule => ({code: 'FZ618', url, subject: 'The signed offer', rule})));
  return undefined;
}

/** Returns the signed receipt in the extensions of an answer to a payment. */
export function signedReceiptIn(extensions: unknown): SignedStatement | undefined {
  return extensionSchema.safeParse(extensions).data?.[OFFER_RECEIPT].info.receipt;
}

/** The maximum length of text from a site in a message. */
const MOST_WORDS = 300;

/**
 * Returns the site's confirmation of a sale, or undefined if the site has no key. The document is already paid, so an invalid receipt is
 * reported, not refused.
 *
 * @param payment the known facts. For a sale that was made elsewhere, only some are known
 */
export async function confirmationOf(
  receipt: SignedStatement | undefined,
  {site, entry, document, terms}: Offer,
  payment: Partial<ReceiptPayload>,
): Promise<Confirmation | undefined> {
  const {signing} = site.catalogue;
  if (!signing) return undefined;
  const saved = {signing, offer: terms.signed, receipt};
  if (!receipt) return {...saved, fault: 'has a signing key, but signed no receipt'};
  const known = {...factsOf({entry, document}), ...payment};
  const faults = await signedFaults(receipt.signature, signing, receiptSchema, known);
  const fault = faults.length === 0 ? undefined : `sent a receipt that ${faults.join(', and ')}`.slice(0, MOST_WORDS);
  return {...saved, fault};
}

function factsOf({entry: {as_of}, document: {listed}}: Sold) {
  return {resourceUrl: listed.url, sha256: listed.sha256, as_of};
}
