import type {NewSale} from '../../ledger/sale.ts';
import type {Facilitator, Settlement, Verdict} from './facilitator.ts';

/** Receives events of payments, for the operator's metrics. Its methods must not throw. */
export interface Observer {
  /** The facilitator answered a verification. */
  verified(verdict: Verdict): void;
  /** The facilitator answered a settlement. */
  settled(settlement: Settlement, seconds: number): void;
  /** A sale is known to be paid. Called once per sale. */
  sold(sale: NewSale): void;
  /** A paid document was sent, completely or not. */
  delivered(sale: NewSale, isSent: boolean): void;
}

/** Wraps a facilitator so that an observer receives its answers. */
export function observed(facilitator: Facilitator, observer: Observer | undefined): Facilitator {
  if (!observer) return facilitator;
  return {
    host: facilitator.host,
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
