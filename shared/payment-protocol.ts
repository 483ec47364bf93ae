// Names that gate and buyer share, in addition to those of the x402 packages.

/** The extension `offer-receipt` of x402. */
export const OFFER_RECEIPT = 'offer-receipt';
/** The header of a sign-in that requests an earlier document: its SHA-256 in lower-case hex. */
export const SHA256_HEADER = 'Snapshot-SHA256';
/** The statement of a sign-in, which a wallet shows. `frozen buy` signs no other statement. */
export const SIGN_IN_STATEMENT = 'Download what you have paid for: nothing is charged.';
