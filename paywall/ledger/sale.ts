import type {Authorization} from '../../shared/evm/authorization-uses.ts';

/**
 * The states of a sale:
 *
 * | state           | meaning                                                         | next state set by                       | the buyer                          |
 * | --------------- | --------------------------------------------------------------- | --------------------------------------- | ---------------------------------- |
 * | `pending`       | the payment may settle, or settle again after a reorganisation  | the process with the lease              | may have paid, must not pay again  |
 * | `settled`       | the money has moved, the document may not have arrived          | delivery; reconciliation with the chain | has paid, can collect the document |
 * | `delivered`     | the document was sent to its last byte                          | reconciliation                          | has the document                   |
 * | `declined`      | the facilitator declined for a reason that precedes a broadcast | reconciliation, payer's next payment    | has paid nothing                   |
 * | `unpaid`        | the chain shows that the authorization paid nothing here        | reconciliation, payer's next payment    | has paid nothing                   |
 * | `indeterminate` | the authorization expired, and nothing shows whether it settled | reconciliation, payer's next payment    | may have paid, may pay again       |
 * | `expired`       | not collected for 24 hours                                      | its payer, signing in; reconciliation   | has paid; the publisher may refund |
 *
 * A sale that failed (`declined`, `unpaid`, `indeterminate`) becomes `settled` if the chain shows that its payment was made after all.
 * A payer has at most one sale of a document that is `pending` or `settled`: the next one can start only after it is delivered or fails.
 */
export const moves = {
  pending: ['pending', 'settled', 'delivered', 'declined', 'unpaid', 'indeterminate'],
  settled: ['pending', 'settled', 'delivered', 'unpaid', 'expired'],
  delivered: ['delivered', 'unpaid'],
  declined: ['settled', 'unpaid'],
  unpaid: ['settled', 'delivered', 'expired'],
  indeterminate: ['settled', 'expired', 'unpaid'],
  expired: ['settled', 'delivered', 'expired', 'unpaid'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type State = keyof typeof moves;

/** A payer has at most one sale of a document in these states. */
export const OPEN: readonly State[] = ['pending', 'settled'];
/** A payer can buy a document again after a sale in these states. */
export const FAILED: readonly State[] = ['declined', 'unpaid', 'indeterminate'];

/** A change of a sale's state, with the facts to record. */
export type Move =
  /** Released without an outcome. If a settlement was recorded, the chain took it back, and its times are deleted. */
  | {readonly to: 'pending'}
  /** Settled by this transaction: empty if only the facilitator confirmed it, undefined to keep the recorded one. */
  | {
      readonly to: 'settled' | 'delivered' | 'expired';
      readonly transaction?: string | undefined;
      /** When the document was sent, in milliseconds since the sale started. Absent if it was not, or was cut off. */
      readonly sentAfterMs?: number;
    }
  | {readonly to: 'indeterminate'}
  | {readonly to: 'declined' | 'unpaid'; readonly reason: string};

/** A purchase that has started. It records all terms, so that later changes of prices and documents do not affect it. */
export interface NewSale extends Authorization {
  /** The authorization: network, asset, payer and nonce, in lower case. A token accepts each once. */
  readonly key: string;
  /** Authorization and signature as JSON, so that they can be settled again. */
  readonly payload: string;
  /** The idempotency key, which is unique. Null if the buyer sent no key or nothing was paid. */
  readonly paymentId: string | null;
  readonly product: string;
  /** The absolute URL of the document. */
  readonly url: string;
  /** The digest of the document that was for sale at that time. */
  readonly sha256: string;
  readonly asOf: string;
  /** The price in the paywall rules, e.g. `$0.02`. */
  readonly price: string;
  /** The number of later snapshots that the sale includes: above 0 for a pass. */
  readonly laterSnapshots: number;
  /** The products in the bundle that was sold. Only their snapshots count as later ones. */
  readonly members: readonly string[];
  /** The number of days for which the payer can download these bytes again. */
  readonly redownloadDays: number;
  /** The host of the facilitator that settles the sale. */
  readonly facilitator: string;
  /** True if the gate verified that the payer signed. Otherwise only a client that sends the same payment again can collect the document. */
  readonly isProven: boolean;
}

/** A sale in the ledger. Times are milliseconds since 1970, by the clock of the ledger. */
export interface Sale extends NewSale {
  readonly state: State;
  /** The reason why the sale was declined or is unpaid. */
  readonly reason: string | null;
  readonly transaction: string | null;
  readonly startedAt: number;
  readonly settledAt: number | null;
  /** When the document was sent, or a later request for it could not be answered. */
  readonly deliveredAt: number | null;
  /** When the gate found the transaction to be final. */
  readonly finalAt: number | null;
  /** The transaction that refunded the money. */
  readonly refund: string | null;
  /** When the refund was recorded. */
  readonly refundedAt: number | null;
  /** When the lease of the sale ends. */
  readonly leasedUntil: number;
  /** When the sale was read from the ledger. */
  readonly readAt: number;
}
