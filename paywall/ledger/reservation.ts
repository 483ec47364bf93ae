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

/** A reserved nonce with all transactions that its reader found. */
export type SignedNonce = Pick<Reservation, 'nonce' | 'transactions'>;

/** A page of the reservations of a signer. */
export interface ReservationPage {
  readonly from: number;
  readonly limit: number;
  /** The key of a sale. */
  readonly sale?: string;
}

/** The gas that a transaction for a contract wallet may cost. */
export interface ContractSpending {
  /** The address of the contract, in lower case. */
  readonly contract: string;
  /** The most gwei that this transaction can cost. */
  readonly cost: number;
  /** The gwei that all transactions for contract wallets may cost within a day. */
  readonly budget: number;
}

/** Why no transaction may be sent for a contract wallet. */
export type ContractRefusal =
  /** A transaction for it did not pay within the last day: the chain reverted it, or never accepted it. */
  | 'reverted'
  /** Another payment of it is being settled. */
  | 'in flight'
  | 'over budget';
