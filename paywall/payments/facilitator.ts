import type {PaymentPayload, PaymentRequirements, SettleResponse} from '@x402/core/types';

export type Verdict = {readonly kind: 'valid'} | {readonly kind: 'invalid'; readonly reason: string} | Unavailable;

export type Settlement =
  | {readonly kind: 'settled'; readonly receipt: SettleResponse}
  /** The facilitator says that no money has moved and none will. */
  | {readonly kind: 'refused'; readonly reason: string}
  /** The money may have moved: by the transactions that the facilitator names, if any, or, where its answer is lost, by whichever. */
  | {readonly kind: 'unknown'; readonly sent?: readonly string[] | undefined}
  | Unavailable;

type Unavailable = {readonly kind: 'unavailable'};

/** Told, in one line, why a facilitator gives no answer: for the publisher, not for buyers. */
export type OnTrouble = (trouble: string) => void;

/** Who checks payments and settles them. Nothing of it throws. */
export interface Facilitator {
  /** Kept in the books with every sale. */
  readonly host: string;
  /** Whether our clock is so wrong that a payment which looks untimely may be good. */
  clockIsOff(): Promise<boolean>;
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict>;
  /** @param sending told each transaction before it is sent, by who sends it itself; nothing is sent where it rejects */
  settle(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    sending: (transaction: string) => Promise<void>,
  ): Promise<Settlement>;
}
