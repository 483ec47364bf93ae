import type {Row} from './database.ts';
import type {NewSale, Sale, State} from './sale.ts';

/** The column of the table `sales` for each member of a new sale. */
export const columnOf = {
  key: 'key',
  network: 'network',
  asset: 'asset',
  payer: 'payer',
  payTo: 'pay_to',
  amount: 'amount',
  nonce: 'nonce',
  validBefore: 'valid_before',
  payload: 'payload',
  paymentId: 'payment_id',
  product: 'product',
  url: 'url',
  sha256: 'sha256',
  asOf: 'as_of',
  price: 'price',
  laterSnapshots: 'later_snapshots',
  members: 'members',
  redownloadDays: 'redownload_days',
  facilitator: 'facilitator',
  isProven: 'proven',
} as const satisfies Record<keyof NewSale, string>;

/** Returns the sale in a row of the table `sales` that was read together with the current time as `read_at`. */
export function saleIn(row: Row): Sale {
  const text = (column: string) => row[column] as string;
  const number = (column: string) => (row[column] === null ? null : Number(row[column]));
  return {
    key: text('key'),
    network: text('network'),
    asset: text('asset'),
    payer: text('payer'),
    payTo: text('pay_to'),
    amount: text('amount'),
    nonce: text('nonce'),
    validBefore: Number(row['valid_before']),
    payload: text('payload'),
    paymentId: row['payment_id'] as string | null,
    product: text('product'),
    url: text('url'),
    sha256: text('sha256'),
    asOf: text('as_of'),
    price: text('price'),
    laterSnapshots: Number(row['later_snapshots']),
    members: JSON.parse(text('members')) as string[],
    redownloadDays: Number(row['redownload_days']),
    facilitator: text('facilitator'),
    isProven: Number(row['proven']) === 1,
    state: text('state') as State,
    reason: row['reason'] as string | null,
    transaction: row['tx'] as string | null,
    startedAt: Number(row['started_at']),
    settledAt: number('settled_at'),
    deliveredAt: number('delivered_at'),
    finalAt: number('final_at'),
    refund: row['refund_tx'] as string | null,
    refundedAt: number('refunded_at'),
    leasedUntil: Number(row['leased_until']),
    readAt: Number(row['read_at']),
  };
}
