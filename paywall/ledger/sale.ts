/**
 * The states of a sale:
 *
 * | state       | meaning                                                        | moved on by                             | the buyer                          |
 * | ----------- | -------------------------------------------------------------- | --------------------------------------- | ---------------------------------- |
 * | `claimed`   | the facilitator may have heard of the payment                  | the process with the lease              | may have paid, must not pay again  |
 * | `settled`   | the money has moved, the document may not have arrived         | delivery; reconciliation with the chain | has paid, can collect the document |
 * | `delivered` | the document was sent to its last byte                         | reconciliation                          | has the document                   |
 * | `refused`   | the facilitator declined for a reason that precedes a broadcast| reconciliation, if the chain shows money| has paid nothing                   |
 * | `unpaid`    | the chain shows that the authorization paid nothing here       | reconciliation, after a reorganisation  | has paid nothing                   |
 * | `unclear`   | expired, and nothing shows whether it was settled              | reconciliation                          | may have paid, may pay again       |
 * | `lapsed`    | not collected for 24 hours                                     | its payer, signing in; reconciliation   | has paid; the publisher may refund |
 *
 * A payer has at most one sale of a document that is `claimed` or `settled`: it is settled and collected before another begins.
 */
export const moves = {
  claimed: ['claimed', 'settled', 'delivered', 'refused', 'unpaid', 'unclear'],
  settled: ['settled', 'delivered', 'unpaid', 'lapsed'],
  delivered: ['delivered', 'unpaid'],
  refused: ['settled', 'unpaid'],
  unpaid: ['settled', 'delivered', 'lapsed'],
  unclear: ['settled', 'lapsed', 'unpaid'],
  lapsed: ['settled', 'delivered', 'lapsed', 'unpaid'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type State = keyof typeof moves;

/** A payer has one sale of a document in these. */
export const OPEN: readonly State[] = ['claimed', 'settled'];

/** A change of a sale's state, with what is noted of it. */
export type Move =
  /** Released without an outcome. */
  | {readonly to: 'claimed'}
  /** By this transaction, empty where a facilitator's word is all there is; without one, by the one it had. */
  | {
      readonly to: 'settled' | 'delivered' | 'lapsed';
      readonly transaction?: string | undefined;
      /** The document has left, and nobody knows yet whether it arrived. */
      readonly isSent?: boolean;
    }
  | {readonly to: 'unclear'}
  | {readonly to: 'refused' | 'unpaid'; readonly reason: string};

/** A document that somebody has begun to pay for, with all that accounts for it once prices and documents have changed. */
export interface NewSale {
  /** The authorization: network, asset, payer and nonce, in lower case. A token takes each once. */
  readonly key: string;
  /** In CAIP-2. */
  readonly network: string;
  readonly asset: string;
  /** In lower case. */
  readonly payer: string;
  readonly payTo: string;
  /** Atomic units of the asset. */
  readonly amount: string;
  readonly nonce: string;
  /** Seconds since 1970 from which no token takes it. */
  readonly validBefore: number;
  /** Authorization and signature, as JSON: they can be settled again. */
  readonly payload: string;
  /** The buyer's own name for the payment, which no other has; nothing where they gave it none, or it has come to nothing. */
  readonly paymentId: string | null;
  readonly product: string;
  /** Absolute address of the document. */
  readonly url: string;
  /** Of the document as it was offered. */
  readonly sha256: string;
  readonly asOf: string;
  /** As in the rules, e.g. `$0.02`. */
  readonly price: string;
  /** Host of the facilitator that settles it. */
  readonly facilitator: string;
  /** Whether we know that the payer signed. Otherwise the sale entitles no one but the sender of the same payment. */
  readonly isProven: boolean;
}

/** A sale in the ledger. Times are milliseconds since 1970, by the clock of the ledger. */
export interface Sale extends NewSale {
  readonly state: State;
  /** Why it was refused or is unpaid. */
  readonly reason: string | null;
  readonly transaction: string | null;
  readonly claimedAt: number;
  readonly settledAt: number | null;
  readonly deliveredAt: number | null;
  /** When the chain was seen to keep its transaction for good. */
  readonly finalAt: number | null;
  /** The transaction that paid the money back, and when that was noted. */
  readonly refund: string | null;
  readonly refundedAt: number | null;
  /** When its lease ends. */
  readonly heldUntil: number;
  /** The moment at which this was read. */
  readonly readAt: number;
}
