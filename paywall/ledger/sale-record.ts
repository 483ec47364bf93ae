import {z} from '@x402/core/schemas';
import {moves, type State} from './sale.ts';

const text = z.string();
const states = Object.keys(moves) as [State, ...State[]];

/** A sale as reports have it: without the signed payment, and without what only the gate asks for. */
export const saleRecordSchema = z.object({
  key: text,
  network: text,
  asset: text,
  payer: text,
  payTo: text,
  /** Atomic units of the asset. */
  amount: text.regex(/^\d{1,78}$/),
  nonce: text,
  product: text,
  url: text,
  sha256: text,
  asOf: text,
  price: text,
  state: z.enum(states),
  reason: text.nullable(),
  transaction: text.nullable(),
  /** Moments are milliseconds since 1970. */
  claimedAt: z.number().int().nonnegative(),
  settledAt: z.number().nullable(),
  deliveredAt: z.number().nullable(),
  refund: text.nullable(),
  refundedAt: z.number().nullable(),
  /** Until when somebody has it in hand, and when this was read. */
  heldUntil: z.number(),
  readAt: z.number(),
});

export type SaleRecord = Readonly<z.infer<typeof saleRecordSchema>>;
