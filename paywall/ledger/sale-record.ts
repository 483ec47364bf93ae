import {z} from '@x402/core/schemas';
import {printable} from '../../shared/printable.ts';
import {moves, type State} from './sale.ts';

/** Text without control characters, because it is printed in terminals and tables. */
const text = z.string().refine(value => printable(value) === value);
const address = z.string().regex(/^0x[0-9a-f]{40}$/i);
const amount = z.string().refine(value => /^\d{1,78}$/.test(value) && BigInt(value) < 2n ** 256n);
/** Milliseconds since 1970, up to the maximum of a `Date`. */
const time = z.number().int().min(0).max(8_640_000_000_000_000);
const states = Object.keys(moves) as [State, ...State[]];

/** A sale as it appears in reports: without the signed payment and the members that only the gate needs. */
export const saleRecordSchema = z.object({
  key: text,
  network: z.string().regex(/^eip155:\d{1,18}$/),
  asset: address,
  payer: address,
  payTo: address,
  /** Atomic units of the asset. */
  amount,
  nonce: text,
  product: text,
  url: text,
  sha256: text,
  asOf: text,
  price: text,
  state: z.enum(states),
  reason: text.nullable(),
  transaction: text.nullable(),
  startedAt: time,
  settledAt: time.nullable(),
  deliveredAt: time.nullable(),
  refund: text.nullable(),
  refundedAt: time.nullable(),
  leasedUntil: z.number(),
  readAt: z.number(),
});

export type SaleRecord = Readonly<z.infer<typeof saleRecordSchema>>;
