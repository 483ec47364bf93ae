/** An account that signs transactions. Its nonces are counted separately on each network. */
export interface Signer {
  /** In CAIP-2. */
  readonly network: string;
  /** In lower case. */
  readonly address: string;
}

/** A nonce reserved for a sale, and the transactions that were signed with it. At most one of them is ever mined. */
export interface Reservation {
  /** The chain accepts the nonces of an account only without a gap. */
  readonly nonce: number;
  /** The key of the sale that it was reserved for. */
  readonly sale: string;
  /** All signed transactions that may have been sent, in hex, oldest first. */
  readonly transactions: readonly `0x${string}`[];
  /** Milliseconds since the nonce was reserved or the last transaction was signed, by the clock of the ledger. */
  readonly age: number;
}
