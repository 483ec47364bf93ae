import Connection from 'libsql';
import {InputError} from '../../../shared/fault.ts';
import type {Block} from './node.ts';
import type {Accounts, Income, Payment} from './payments.ts';

/** What the store covers: the income of these accounts on one network, from block `first`. */
export interface Extent extends Accounts {
  readonly network: string;
  readonly first: number;
}

/** The final blocks whose income is stored. */
export interface Reach {
  readonly first: number;
  /** The first block that is not stored. */
  readonly next: number;
  /** A final block at or after the stored ones. If its hash differs later, the node is on another chain. */
  readonly anchor: Pick<Block, 'number' | 'hash'>;
}

/** A payment with its row number in the store. */
export interface StoredPayment extends Payment {
  readonly id: number;
}

type Row = Readonly<Record<string, string | number>>;

const TABLES = `
  CREATE TABLE IF NOT EXISTS payments (
    id INTEGER PRIMARY KEY, asset TEXT NOT NULL, payer TEXT NOT NULL, nonce TEXT NOT NULL, payee TEXT NOT NULL,
    amount TEXT NOT NULL, tx TEXT NOT NULL, block INTEGER NOT NULL, event INTEGER NOT NULL, UNIQUE (tx, event));
  CREATE INDEX IF NOT EXISTS payments_by_nonce ON payments (nonce);
  CREATE TABLE IF NOT EXISTS transfers (block INTEGER PRIMARY KEY, n INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS reach (
    accounts TEXT NOT NULL, first INTEGER NOT NULL, next INTEGER NOT NULL, anchor INTEGER NOT NULL, hash TEXT NOT NULL);
  CREATE TEMP TABLE sold (payment INTEGER PRIMARY KEY);
  CREATE TEMP TABLE refunds (tx TEXT NOT NULL, event INTEGER NOT NULL, PRIMARY KEY (tx, event))`;

/**
 * Payments on the chain, in an SQLite file. Payments in final blocks are kept for later runs. If the process is killed, the file contains
 * all completed windows.
 */
export class PaymentStore implements Disposable {
  readonly #connection: Connection.Database;
  readonly #statements = new Map<string, Connection.Statement>();

  /** Opens or creates the file. Throws `InputError` if another process has it open, or if it is not such a file. */
  constructor(file: string) {
    const connection = new Connection(file);
    try {
      connection.exec('PRAGMA locking_mode = EXCLUSIVE');
      connection.exec(`BEGIN EXCLUSIVE; ${TABLES}; COMMIT`);
    } catch (cause) {
      connection.close();
      if (!(cause instanceof Connection.SqliteError)) throw cause;
      const rule = cause.code.startsWith('SQLITE_BUSY')
        ? 'is in use: another run is at work'
        : `cannot be used, and can be removed: the chain is looked at anew (${cause.message})`;
      throw new InputError({code: 'FZ505', file, rule}, {cause});
    }
    this.#connection = connection;
  }

  /** Returns the stored range of these accounts, independent of its first block. */
  reachOf({network, assets, payees}: Omit<Extent, 'first'>): Reach | undefined {
    const [row] = this.#all('SELECT * FROM reach WHERE accounts = ?', JSON.stringify([network, assets, payees]));
    if (!row) return undefined;
    const number = (column: string) => Number(row[column]);
    return {
      first: number('first'),
      next: number('next'),
      anchor: {number: number('anchor'), hash: String(row['hash'])},
    };
  }

  /** Deletes everything and starts a new range. */
  begin({network, assets, payees, first}: Extent, {number, hash}: Reach['anchor']): void {
    this.#atOnce(() => {
      for (const table of ['payments', 'transfers', 'reach']) this.#run(`DELETE FROM ${table}`);
      const accounts = JSON.stringify([network, assets, payees]);
      this.#run('INSERT INTO reach VALUES (?, ?, ?, ?, ?)', accounts, first, first, number, hash);
    });
  }

  /** Continues a range: deletes blocks that were not final when they were read. */
  goOn({number, hash}: Reach['anchor']): void {
    this.#atOnce(() => {
      for (const table of ['payments', 'transfers'])
        this.#run(`DELETE FROM ${table} WHERE block >= (SELECT next FROM reach)`);
      this.#run('UPDATE reach SET anchor = ?, hash = ?', number, hash);
    });
  }

  /**
   * Adds the income of a window of blocks.
   *
   * @param next the block after the window, if the window is final
   */
  add({payments, transfers}: Income, next?: number): void {
    this.#atOnce(() => {
      for (const {asset, payer, nonce, payee, amount, transaction, block, event} of payments)
        this.#run(
          `INSERT INTO payments (asset, payer, nonce, payee, amount, tx, block, event) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
          ...[asset, payer, nonce, payee, amount, transaction, block, event],
        );
      for (const block of transfers)
        this.#run('INSERT INTO transfers VALUES (?, 1) ON CONFLICT (block) DO UPDATE SET n = n + 1', block);
      if (next !== undefined) this.#run('UPDATE reach SET next = ?', next);
    });
  }

  /** Returns the payments of an authorization. There is at most one, unless the token contract is faulty. */
  by({asset, payer, nonce}: Pick<Payment, 'asset' | 'payer' | 'nonce'>): StoredPayment[] {
    const sql = 'SELECT * FROM payments WHERE nonce = ? AND payer = ? AND asset = ? ORDER BY id';
    return this.#all(sql, nonce, payer, asset).map(paymentIn);
  }

  isPaying(transaction: string): boolean {
    return this.#all('SELECT 1 FROM payments WHERE tx = ? LIMIT 1', transaction).length > 0;
  }

  /** Marks a payment as belonging to a sale. Returns false if it belongs to another sale. */
  sell({id}: StoredPayment): boolean {
    return this.#run('INSERT INTO sold VALUES (?) ON CONFLICT DO NOTHING', id) === 1;
  }

  /** Marks a transfer as the refund of a sale. Returns false if it refunds another sale. */
  refund(transaction: string, event: number): boolean {
    return this.#run('INSERT INTO refunds VALUES (?, ?) ON CONFLICT DO NOTHING', transaction, event) === 1;
  }

  /** Returns the payments from a block on that belong to no sale. */
  unsold(first: number): StoredPayment[] {
    const sql = `SELECT * FROM payments
      WHERE block >= ? AND id NOT IN (SELECT payment FROM sold) ORDER BY block, event`;
    return this.#all(sql, first).map(paymentIn);
  }

  /** Counts payments and other transfers from a block on. */
  count(first: number): {readonly payments: number; readonly transfers: number} {
    const sql = `SELECT (SELECT count(*) FROM payments WHERE block >= ?) AS payments,
      (SELECT coalesce(sum(n), 0) FROM transfers WHERE block >= ?) AS transfers`;
    const [row] = this.#all(sql, first, first);
    return {payments: Number(row?.['payments']), transfers: Number(row?.['transfers'])};
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  #atOnce(work: () => void): void {
    this.#connection.exec('BEGIN');
    try {
      work();
      this.#connection.exec('COMMIT');
    } catch (error) {
      this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  #run(sql: string, ...values: (string | number)[]): number {
    return this.#prepared(sql).run(...values).changes;
  }

  #all(sql: string, ...values: (string | number)[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  #prepared(sql: string): Connection.Statement {
    const statement = this.#statements.get(sql) ?? this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function paymentIn({tx, ...row}: Row): StoredPayment {
  return {...row, transaction: tx} as unknown as StoredPayment;
}
