import type {NewSale} from '../ledger/sale.ts';
import type {Facilitator, Settlement, Verdict} from './facilitator.ts';

/** Told of payments while they are made, for the figures of whoever runs the gate. Nothing of it throws, and nobody waits for it. */
export interface Observer {
  /** The facilitator was asked whether a payment is good. */
  verified(verdict: Verdict): void;
  /** The facilitator was asked to settle a payment. */
  settled(settlement: Settlement, seconds: number): void;
  /** It became known that a sale is paid, once a sale. */
  sold(sale: NewSale): void;
  /** A document that was paid for was sent, to its last byte or cut off. */
  delivered(sale: NewSale, isSent: boolean): void;
}

/** The same facilitator, with an observer of what it answers. */
export function observed(facilitator: Facilitator, observer: Observer | undefined): Facilitator {
  if (!observer) return facilitator;
  return {
    host: facilitator.host,
    clockIsOff: () => facilitator.clockIsOff(),
    async verify(...asked) {
      const verdict = await facilitator.verify(...asked);
      observer.verified(verdict);
      return verdict;
    },
    async settle(...asked) {
      const since = performance.now();
      const settlement = await facilitator.settle(...asked);
      observer.settled(settlement, (performance.now() - since) / 1000);
      return settlement;
    },
  };
}
