import type {PaymentPayload, PaymentRequirements, SettleResponse} from '@x402/core/types';

/** The answer to a verification. */
export type Verdict =
  {readonly kind: 'valid'} | {readonly kind: 'invalid'; readonly reason: string} | {readonly kind: 'unavailable'};

/** The outcome of a settlement. */
export type Settlement =
  | {readonly kind: 'settled'; readonly receipt: SettleResponse}
  /** No money moved, and none will: the reason precedes a broadcast, or the chain shows it. */
  | {readonly kind: 'declined'; readonly reason: string}
  /** The request did not leave this machine, so no money moved. */
  | {readonly kind: 'unavailable'}
  /** The money may have moved, or may still move. */
  | {readonly kind: 'unknown'}
  /** The authorization has expired, and nothing shows whether it was used. */
  | {readonly kind: 'indeterminate'};

/** Reports in one line, to the publisher, why payments fail. */
export type OnTrouble = (trouble: string) => void;

/** Verifies and settles payments. Its methods never throw. */
export interface Facilitator {
  /** Recorded with every sale. */
  readonly host: string;
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict>;
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement>;
}
