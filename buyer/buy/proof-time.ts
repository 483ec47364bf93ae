/** Seconds for which a proof is valid. Settling needs six, but the gate accepts a proof while it is valid. */
export const PROOF_SECONDS = 5;
