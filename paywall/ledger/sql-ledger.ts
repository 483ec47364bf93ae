import {LEASE_MS, MOST_FAILED, type Buyer, type Entries, type Ledger, type Page} from './ledger.ts';
import type {Database, Query, Value} from './database.ts';
import {FAILED, moves, type Move, type NewSale, type Sale, type State} from './sale.ts';
import {columnOf, saleIn} from './sale-row.ts';
import {isIn, isNeverPaid, isNotFinal, isOpen, isToBuyer, isUnresolved, UNRESOLVED} from './schema.ts';
import {SqlDocuments} from './sql-documents.ts';

const COLUMNS = Object.values(columnOf);
const DAY_SECONDS = 24 * 3600;
/** SQLite deletes so many sales in about a tenth of a second. */
const MOST_PRUNED = 10_000;

/** A ledger in a database. It runs the same statements on SQLite, on Postgres and in a Durable Object. */
export class SqlLedger extends SqlDocuments implements Ledger {
  readonly #query: Query;
  readonly #leasedUntil: string;
  readonly #columns: string;

  /** @param database must have been migrated to the current version */
  constructor(database: Database, leaseMs = LEASE_MS) {
    super(database);
    this.#query = database.query;
    this.#leasedUntil = `${database.now} + ${leaseMs}`;
    this.#columns = `*, ${database.now} AS read_at`;
  }

  async start(sale: NewSale, holder: string, since = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    // Conflicts: the same authorization (primary key), an open sale (index `open_sales`), the same idempotency key (index `payment_ids`).
    // The statement also looks for an open sale: in Postgres, it can be delivered while the statement runs, and then causes no conflict.
    const isRepeated = sale.isProven ? `(${isOpen} OR delivered_at > ?)` : 'delivered_at > ?';
    const rows = await this.#query(
      `INSERT INTO sales (${COLUMNS.join(', ')}, state, holder, started_at, leased_until)
       SELECT ${COLUMNS.map(() => '?').join(', ')}, 'pending', ?, ${this.database.now}, ${this.#leasedUntil}
       WHERE NOT EXISTS (
         SELECT 1 FROM sales WHERE ${isToBuyer} AND ${isRepeated})
         AND NOT EXISTS (SELECT 1 FROM collections WHERE collections.key = ? OR collections.payment_id = ?)
       ON CONFLICT DO NOTHING RETURNING key`,
      [
        ...Object.keys(columnOf).map(member => valueOf(sale[member as keyof NewSale])),
        ...[holder, sale.network, sale.payer, sale.url, since, sale.key, sale.paymentId],
      ],
    );
    return rows.length === 1;
  }

  async time(): Promise<number> {
    const [row] = await this.#query(`SELECT ${this.database.now} AS now`);
    return Number(row?.['now']);
  }

  async find(key: string, {network, payer, url}: Buyer, paymentId: string | null = null): Promise<Entries> {
    const entry = (name: keyof Entries, sent = 'NULL', sentFor = 'NULL') =>
      `SELECT ${this.#columns}, '${name}' AS entry, ${sent} AS sent, ${sentFor} AS sent_for FROM sales`;
    const collection = (column: string) => `(SELECT ${column} FROM collections WHERE collections.key = ?)`;
    const collectedWithIt =
      'SELECT sale FROM collections WHERE collections.payment_id = ? AND collections.key <> ? LIMIT 1';
    // A Durable Object accepts at most five terms in a compound SELECT.
    const rows = await this.#query(
      `${entry('same')} WHERE key = ? UNION ALL
       ${entry('collected', collection('sha256'), collection('payment_id'))} WHERE key = ${collection('sale')} UNION ALL
       ${entry('open')} WHERE ${isToBuyer} AND ${isOpen} AND key <> ? UNION ALL
       SELECT * FROM (
         ${entry('failed')}
         WHERE ${isToBuyer} AND ${isIn(FAILED)}
           AND final_at IS NULL AND delivered_at IS NULL AND refund_tx IS NULL
         ORDER BY started_at DESC LIMIT ${MOST_FAILED}) AS latest
       ${paymentId === null ? '' : `UNION ALL ${entry('sameIdentifier')} WHERE key <> ? AND (payment_id = ? OR key = (${collectedWithIt}))`}`,
      [
        ...[key, key, key, key, network, payer, url, key, network, payer, url],
        ...(paymentId === null ? [] : [key, paymentId, paymentId, key]),
      ],
    );
    const entries = (name: keyof Entries) => rows.filter(row => row['entry'] === name).map(saleIn);
    const [[same], [open], [sameIdentifier]] = [entries('same'), entries('open'), entries('sameIdentifier')];
    const collected = rows.find(row => row['entry'] === 'collected');
    return {
      ...{same, open, failed: entries('failed'), sameIdentifier},
      collected: collected && {
        sale: saleIn(collected),
        sha256: collected['sent'] as string,
        paymentId: collected['sent_for'] as string | null,
      },
    };
  }

  async withdraw(key: string, holder: string): Promise<void> {
    await this.#query(`DELETE FROM sales WHERE key = ? AND holder = ? AND state = 'pending'`, [key, holder]);
  }

  async lease(key: string, holder: string, states: readonly State[]): Promise<Sale | undefined> {
    const [row] = await this.#query(
      `UPDATE sales SET holder = ?, leased_until = ${this.#leasedUntil}
       WHERE key = ? AND ${isIn(states)} AND leased_until < ${this.database.now} RETURNING ${this.#columns}`,
      [holder, key],
    );
    return row && saleIn(row);
  }

  async renew(key: string, holder: string): Promise<boolean> {
    const rows = await this.#query(
      `UPDATE sales SET leased_until = ${this.#leasedUntil} WHERE key = ? AND holder = ? RETURNING key`,
      [key, holder],
    );
    return rows.length === 1;
  }

  async move(key: string, holder: string, move: Move, keepLease = false): Promise<boolean> {
    const {now} = this.database;
    const changes: Readonly<Record<string, Value>> = {
      state: move.to,
      // Nothing was paid, so the buyer may use the idempotency key again.
      ...((move.to === 'declined' || move.to === 'unpaid') && {payment_id: null}),
      reason: 'reason' in move ? move.reason : null,
      ...('transaction' in move && move.transaction !== undefined && {tx: move.transaction}),
      // If the chain took a settlement back, the next one gets its own times, because the document is sent again.
      ...(move.to === 'pending' && {settled_at: null, delivered_at: null}),
    };
    const sentAfterMs = 'sentAfterMs' in move ? move.sentAfterMs : undefined;
    const sentAt = sentAfterMs === undefined ? now : 'started_at + ?';
    // A document is sent only after its payment was settled, so a settlement that is recorded later gets the time of the sending.
    const times = [
      ...(move.to === 'settled' || move.to === 'delivered' ? ['settled_at'] : []),
      ...(move.to === 'delivered' || sentAfterMs !== undefined ? ['delivered_at'] : []),
    ];
    const rows = await this.#query(
      `UPDATE sales SET ${Object.keys(changes)
        .map(column => `${column} = ?, `)
        .join('')}
         ${times.map(column => `${column} = coalesce(${column}, ${sentAt}), `).join('')}
         leased_until = ${keepLease ? this.#leasedUntil : '0'}, holder = ${keepLease ? 'holder' : 'NULL'}
       WHERE key = ? AND holder = ? AND ${isIn(statesBefore(move.to))} ${move.to === 'settled' ? `AND ${hasNoOther}` : ''}
       RETURNING key`,
      [...Object.values(changes), ...times.flatMap(() => sentAfterMs ?? []), key, holder],
    );
    return rows.length === 1;
  }

  async markAwaited(key: string): Promise<void> {
    await this.#query(
      `UPDATE sales SET delivered_at = ${this.database.now}
       WHERE key = ? AND state = 'settled' AND delivered_at IS NOT NULL`,
      [key],
    );
  }

  async markFinal(key: string): Promise<void> {
    await this.#query(`UPDATE sales SET final_at = ${this.database.now} WHERE key = ?`, [key]);
  }

  async refund(key: string, transaction: string): Promise<boolean> {
    let isRecorded = false;
    // In Postgres, two concurrent statements that record one transfer for two sales would not see each other.
    await this.database.transaction(async query => {
      const rows = await query(
        `UPDATE sales SET refund_tx = ?, refunded_at = coalesce(refunded_at, ${this.database.now})
         WHERE key = ? AND coalesce(refund_tx, ?) = ?
           AND NOT EXISTS (SELECT 1 FROM sales AS other WHERE other.refund_tx = ? AND other.key <> ?) RETURNING key`,
        [transaction, key, transaction, transaction, transaction, key],
      );
      isRecorded = rows.length === 1;
    });
    return isRecorded;
  }

  async list({states, notFinal = false, transaction, from, to, after, limit}: Page): Promise<Sale[]> {
    const conditions = [
      ...(states ? [isIn(states)] : []),
      ...(states?.every(state => UNRESOLVED.includes(state)) ? [isUnresolved] : []),
      ...(notFinal ? [isNotFinal] : []),
      ...(transaction === undefined ? [] : ['tx = ?']),
      ...(from === undefined ? [] : ['started_at >= ?']),
      ...(to === undefined ? [] : ['started_at < ?']),
      ...(after ? ['(started_at, key) > (?, ?)'] : []),
    ];
    const values = [transaction, from, to, after?.startedAt, after?.key, limit];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const rows = await this.#query(
      `SELECT ${this.#columns} FROM sales ${where} ORDER BY started_at, key LIMIT ?`,
      values.filter(value => value !== undefined),
    );
    return rows.map(saleIn);
  }

  async pruneSales(): Promise<void> {
    await this.#query(
      `DELETE FROM sales WHERE key IN (
         SELECT key FROM sales WHERE ${isNeverPaid} AND valid_before < ${this.database.now} / 1000 - ${DAY_SECONDS}
         LIMIT ${MOST_PRUNED})`,
    );
  }

  /** Returns the number of sales in these states. */
  async count(states: readonly State[]): Promise<number> {
    const index = states.every(state => UNRESOLVED.includes(state)) ? ` AND ${isUnresolved}` : '';
    const [row] = await this.#query(`SELECT count(*) AS n FROM sales WHERE ${isIn(states)}${index}`);
    return Number(row?.['n']);
  }

  /** Writes the current time to a table for this purpose. Rejects if the ledger cannot be written. */
  async probe(): Promise<void> {
    await this.#query(
      `INSERT INTO probe VALUES (1, ${this.database.now}) ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
    );
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** The index `open_sales` enforces this too, but a violation would reject instead of changing nothing. */
const hasNoOther = `NOT EXISTS (
  SELECT 1 FROM sales AS other
  WHERE other.network = sales.network AND other.payer = sales.payer AND other.url = sales.url
    AND other.${isOpen} AND other.proven = 1 AND sales.proven = 1 AND other.key <> sales.key)`;

function statesBefore(to: State): State[] {
  const states = Object.keys(moves) as State[];
  return states.filter(state => (moves[state] as readonly State[]).includes(to));
}

/** Converts booleans and arrays, which SQLite does not have. */
function valueOf(value: NewSale[keyof NewSale]): Value {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
