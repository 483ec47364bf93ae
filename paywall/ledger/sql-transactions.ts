import type {Database, Query, Row} from './database.ts';
import type {
  ContractRefusal,
  ContractSpending,
  Reservation,
  ReservationPage,
  SignedNonce,
  Signer,
} from './reservation.ts';
import {isIn} from './schema.ts';

/** For how long a reverted transaction closes a contract wallet, and the gas of contract wallets counts. */
const DAY_MS = 24 * 3_600_000;

/** The settler's transactions in a ledger. */
export class SqlTransactions {
  protected readonly database: Database;

  /** @param database must have been migrated to the current version */
  constructor(database: Database) {
    this.database = database;
  }

  reserveNonce(signer: Signer, key: string, from: number): Promise<number> {
    return this.#reserve(this.database.query, signer, key, from);
  }

  /** One transaction, so that concurrent payments do not exceed the budget together. */
  async reserveContractNonce(
    signer: Signer,
    key: string,
    from: number,
    spending: ContractSpending,
  ): Promise<number | ContractRefusal> {
    let outcome: number | ContractRefusal = 'in flight';
    await this.database.transaction(async query => {
      const refusal = await this.#refusal(query, signer, key, spending);
      outcome = refusal ?? (await this.#reserve(query, signer, key, from, spending));
    });
    return outcome;
  }

  contractRefusal(signer: Signer, key: string, spending: ContractSpending): Promise<ContractRefusal | null> {
    return this.#refusal(this.database.query, signer, key, spending);
  }

  /** One statement compares and appends, so of concurrent writers only one succeeds. */
  async addTransaction(
    {network, address}: Signer,
    {nonce, transactions}: SignedNonce,
    transaction: `0x${string}`,
    cost: number,
  ): Promise<void> {
    const before = transactions.map(each => `${each} `).join('');
    const rows = await this.database.query(
      `UPDATE transactions SET signed = CAST(? AS TEXT), changed_at = ${this.database.now}, cost = CAST(? AS BIGINT)
       WHERE network = ? AND signer = ? AND nonce = ? AND signed = ? RETURNING nonce`,
      [`${before}${transaction} `, cost, network, address, nonce, before],
    );
    if (rows.length === 0) throw new Error(`the nonce ${nonce} of ${address} is not reserved, or used meanwhile`);
  }

  async reservations({network, address}: Signer, {from, limit, sale}: ReservationPage): Promise<Reservation[]> {
    const rows = await this.database.query(
      `SELECT nonce, sale, signed, ${this.database.now} - changed_at AS age FROM transactions
       WHERE network = ? AND signer = ? AND nonce >= ? ${sale === undefined ? '' : 'AND sale = ?'} ORDER BY nonce LIMIT ?`,
      [network, address, from, ...(sale === undefined ? [] : [sale]), limit],
    );
    return rows.map(reservationIn);
  }

  async #reserve(
    query: Query,
    {network, address}: Signer,
    key: string,
    from: number,
    spending?: ContractSpending,
  ): Promise<number> {
    for (;;) {
      // If another process takes the same nonce first, the primary key conflicts, and the next attempt gets another one.
      const [row] = await query(
        `INSERT INTO transactions (network, signer, nonce, sale, signed, changed_at, contract, cost)
         SELECT CAST(? AS TEXT), CAST(? AS TEXT), max(candidate), CAST(? AS TEXT), '', ${this.database.now}, CAST(? AS TEXT), CAST(? AS BIGINT)
         FROM (SELECT CAST(? AS BIGINT) AS candidate
               UNION ALL SELECT max(nonce) + 1 FROM transactions WHERE network = ? AND signer = ?) AS candidates
         WHERE true
         ON CONFLICT DO NOTHING RETURNING nonce`,
        [network, address, key, spending?.contract ?? null, spending?.cost ?? null, from, network, address],
      );
      if (row) return Number(row['nonce']);
    }
  }

  /**
   * If the sale of a transaction is not paid, the transaction was reverted or will be. If a process still works on the sale, its outcome is
   * open, even if the transaction is not signed yet. A sale also counts as paid if a copy of its transaction paid it. Sales that were
   * never paid may be missing, because they are pruned.
   */
  async #refusal(
    query: Query,
    {network, address}: Signer,
    key: string,
    {contract, cost, budget}: ContractSpending,
  ): Promise<ContractRefusal | null> {
    const {now} = this.database;
    const [row] = await query(
      `SELECT coalesce(sum(CASE WHEN signer = ? AND NOT (sale = ? AND signed = '') THEN transactions.cost END), 0) AS spent,
         max(CASE WHEN contract = ? AND sale <> ?
               AND (sales.key IS NULL OR ${isIn(['pending', 'declined', 'unpaid', 'indeterminate'])})
             THEN CASE WHEN leased_until >= ${now} THEN 1 WHEN signed <> '' THEN 2 END END) AS unpaid
       FROM transactions LEFT JOIN sales ON sales.key = transactions.sale
       WHERE transactions.network = ? AND contract IS NOT NULL AND changed_at > ${now} - ${DAY_MS}`,
      [address, key, contract, key, network],
    );
    if (Number(row?.['unpaid']) === 2) return 'reverted';
    if (Number(row?.['unpaid']) === 1) return 'in flight';
    return Number(row?.['spent']) + cost > budget ? 'over budget' : null;
  }
}

function reservationIn(row: Row): Reservation {
  return {
    nonce: Number(row['nonce']),
    sale: row['sale'] as string,
    transactions: (row['signed'] as string).split(' ').filter(isSigned),
    age: Number(row['age']),
  };
}

function isSigned(text: string): text is `0x${string}` {
  return text.startsWith('0x');
}
