/** Who signs transactions: an address has its own numbers on each network. */
export interface Signer {
  /** In CAIP-2. */
  readonly network: string;
  /** In lower case. */
  readonly address: string;
}

/** A number of a signer's, and what was signed with it. At most one of the transactions that have it is ever mined. */
export interface Numbered {
  /** The nonce of EIP-1559 transactions: the chain takes them without a gap. */
  readonly nonce: number;
  /** The sale that it was reserved for. */
  readonly key: string;
  /** Every signed transaction that may have been sent, in hex, oldest first; nothing where none has. */
  readonly signed: readonly `0x${string}`[];
  /** Milliseconds since it was reserved, or the last transaction was signed, by the clock of the ledger. */
  readonly age: number;
}
