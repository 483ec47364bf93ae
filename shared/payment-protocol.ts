// Names that gate and buyer share, in addition to those of the x402 packages.

/** The extension `offer-receipt` of x402. */
export const OFFER_RECEIPT = 'offer-receipt';
/** The header of a sign-in that requests an earlier document: its SHA-256 in lower-case hex. */
export const SHA256_HEADER = 'Snapshot-SHA256';
/** The statement of a sign-in, which a wallet shows. `frozen buy` signs no other statement. */
export const SIGN_IN_STATEMENT = 'Download what you have paid for: nothing is charged.';
/** The reason with which a gate refuses an authorization that is expired by its clock. It also begins the reason for one that expires too late. */
export const EXPIRED = 'invalid_exact_evm_payload_authorization_valid_before';
/** The reasons with which a gate refuses a payment for other terms than its current ones, unless it sold for this very payment. */
export const OTHER_TERMS = {
  resource: 'resource_mismatch',
  document: 'document_changed',
  payee: 'invalid_exact_evm_recipient_mismatch',
  amount: 'invalid_exact_evm_payload_authorization_value_mismatch',
  requirements: 'No matching payment requirements',
} as const;
