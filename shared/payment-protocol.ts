// Names that gate and buyer share, in addition to those of the x402 packages.

/** The extension `offer-receipt` of x402. */
export const OFFER_RECEIPT = 'offer-receipt';
/** The header of a sign-in that requests an earlier document: its SHA-256 in lower-case hex. */
export const SHA256_HEADER = 'Snapshot-SHA256';
/** The sentence in a sign-in that a wallet shows. `frozen buy` signs no other sentence. */
export const SIGN_IN_STATEMENT = 'Download what you have paid for: nothing is charged.';
