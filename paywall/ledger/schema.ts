import type {Database} from './database.ts';
import {OPEN, type State} from './sale.ts';

export const isOpen = isIn(OPEN);
/**
 * The sales of a document to a payer on a network. Only sales with a proven payer count: otherwise anyone could block the payer's
 * purchases with invented payments of a contract wallet, which a gate without a node cannot verify.
 */
export const isToBuyer = 'network = ? AND payer = ? AND url = ? AND proven = 1';
/** Few sales are in these states at a time. A database uses the partial index `sales_unresolved` if a statement repeats its condition. */
export const UNRESOLVED: readonly State[] = ['pending', 'settled', 'indeterminate'];
export const isUnresolved = isIn(UNRESOLVED);
/** A reorganisation of the chain can still revert the transaction of the sale. */
export const isNotFinal = `final_at IS NULL AND (tx IS NOT NULL OR state IN ('declined', 'unpaid'))`;

/** Nothing was paid or sent. A sale with a recorded transaction may have been paid at some time. */
export const isNeverPaid = `state IN ('declined', 'unpaid') AND tx IS NULL AND settled_at IS NULL AND delivered_at IS NULL`;

/** The statements that migrate a ledger from each version to the next. A published statement never changes, so it uses the names of its version. */
export const versions: readonly (readonly string[])[] = [
  [
    // A sale records its terms, so that later changes of a price or product do not alter a buyer's entitlement.
    `CREATE TABLE sales (
       key TEXT PRIMARY KEY, network TEXT NOT NULL, asset TEXT NOT NULL, payer TEXT NOT NULL, pay_to TEXT NOT NULL,
       amount TEXT NOT NULL, nonce TEXT NOT NULL, valid_before BIGINT NOT NULL, payload TEXT NOT NULL, payment_id TEXT,
       product TEXT NOT NULL, url TEXT NOT NULL, sha256 TEXT NOT NULL, as_of TEXT NOT NULL, price TEXT NOT NULL,
       later_snapshots BIGINT NOT NULL, members TEXT NOT NULL, redownload_days BIGINT NOT NULL, facilitator TEXT NOT NULL,
       proven BIGINT NOT NULL, state TEXT NOT NULL, reason TEXT, tx TEXT, started_at BIGINT NOT NULL, settled_at BIGINT,
       delivered_at BIGINT, final_at BIGINT, refund_tx TEXT, refunded_at BIGINT, holder TEXT, leased_until BIGINT NOT NULL)`,
    // Only sales with a proven payer count, as in `isToBuyer`.
    `CREATE UNIQUE INDEX open_sales ON sales (network, payer, url) WHERE state IN ('pending', 'settled') AND proven = 1`,
    'CREATE UNIQUE INDEX payment_ids ON sales (payment_id) WHERE payment_id IS NOT NULL',
    'CREATE INDEX sales_in_time ON sales (started_at, key)',
    'CREATE INDEX sales_of_payer ON sales (payer, url)',
    'CREATE INDEX sales_by_tx ON sales (tx) WHERE tx IS NOT NULL',
    'CREATE INDEX sales_by_refund ON sales (refund_tx) WHERE refund_tx IS NOT NULL',
    `CREATE INDEX sales_unresolved ON sales (started_at, key) WHERE state IN ('pending', 'settled', 'indeterminate')`,
    `CREATE INDEX sales_not_final ON sales (started_at, key)
     WHERE final_at IS NULL AND (tx IS NOT NULL OR state IN ('declined', 'unpaid'))`,
    `CREATE INDEX sales_never_paid ON sales (valid_before)
     WHERE state IN ('declined', 'unpaid') AND tx IS NULL AND settled_at IS NULL AND delivered_at IS NULL`,
    // `contract` is the payer if it is a contract, and `cost` the most gwei that the gas can cost.
    `CREATE TABLE transactions (
       network TEXT NOT NULL, signer TEXT NOT NULL, nonce BIGINT NOT NULL, sale TEXT NOT NULL, signed TEXT NOT NULL,
       changed_at BIGINT NOT NULL, contract TEXT, cost BIGINT, PRIMARY KEY (network, signer, nonce))`,
    'CREATE INDEX transactions_of_sale ON transactions (sale)',
    'CREATE INDEX contract_transactions ON transactions (network, changed_at) WHERE contract IS NOT NULL',
    `CREATE TABLE documents (
       url TEXT NOT NULL, sha256 TEXT NOT NULL, part BIGINT NOT NULL, archived_until BIGINT NOT NULL, content TEXT NOT NULL,
       PRIMARY KEY (url, sha256, part))`,
    'CREATE TABLE sign_ins (payer TEXT NOT NULL, nonce TEXT NOT NULL, at BIGINT NOT NULL, PRIMARY KEY (payer, nonce))',
    // A health check writes to this table.
    'CREATE TABLE probe (id BIGINT PRIMARY KEY, at BIGINT NOT NULL)',
  ],
  [
    // Authorizations that collected the document of an earlier sale, with their idempotency keys.
    `CREATE TABLE collections (
       key TEXT PRIMARY KEY, payment_id TEXT, sale TEXT NOT NULL, sha256 TEXT NOT NULL, at BIGINT NOT NULL)`,
    'CREATE INDEX collections_by_payment_id ON collections (payment_id) WHERE payment_id IS NOT NULL',
  ],
];

/** Migrates a ledger of any former version without loss. Throws if the ledger is newer than this program. */
export async function migrate({transaction}: Database, steps = versions): Promise<void> {
  await transaction(async query => {
    await query('CREATE TABLE IF NOT EXISTS ledger_version (version BIGINT NOT NULL)');
    const [row] = await query('SELECT version FROM ledger_version');
    const version = Number(row?.['version'] ?? 0);
    if (version > steps.length)
      throw new Error(
        `the ledger has version ${version}, and this program reads version ${steps.length}: use a newer program`,
      );
    if (row && version === steps.length) return;
    for (const statement of steps.slice(version).flat()) await query(statement);
    await query(row ? 'UPDATE ledger_version SET version = ?' : 'INSERT INTO ledger_version VALUES (?)', [
      steps.length,
    ]);
  });
}

/** Returns a SQL condition on the column `state`. */
export function isIn(states: readonly State[]): string {
  return `state IN (${states.map(state => `'${state}'`).join(', ')})`;
}
