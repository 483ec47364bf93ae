import type {Sending} from '../payments/sales/lease.ts';
import type {PaidSale} from '../payments/sales/paid-sale.ts';

/** The types of Hono's environment in the gate. */
export interface GateEnv {
  /** The host reports this about each request. */
  Bindings: {
    /** The request target as it was sent. */
    readonly target?: string | undefined;
    /** The IP address of the client, or another identifier. Without it, there are no limits per client. */
    readonly clientAddress?: string | undefined;
    /** Resolves when the answer was sent. */
    readonly sent?: () => Promise<Sending>;
  };
  /** Set while a payment is answered, for the access log. */
  Variables: {
    /** The sale of the document in the answer. */
    paid?: PaidSale;
    /** The reason code if the payment is answered without the document. */
    reason?: string;
  };
}
