/** Seconds for which a proof is valid: six are needed to settle it, and the gate accepts it as long as it is valid. */
export const PROOF_SECONDS = 5;
