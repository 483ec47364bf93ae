import type {Buyer, NewCollection, SoldDocument} from './ledger.ts';
import {isIn, isToBuyer} from './schema.ts';
import type {Sale} from './sale.ts';
import {saleIn} from './sale-row.ts';
import {SqlTransactions} from './sql-transactions.ts';

const DAY_MS = 24 * 3_600_000;
/** Enough, because a payer buys another pass only after the last one has ended. */
const MAX_PASSES = 100;
/** The condition for sales that entitle their payer to the document. */
const isPaid = `${isIn(['settled', 'delivered', 'expired'])} AND refund_tx IS NULL`;

/** The entitlements and sign-ins of buyers, and the archived documents. */
export class SqlDocuments extends SqlTransactions {
  async bought({network, payer, url}: Buyer, sha256: string): Promise<Sale | undefined> {
    const {query, now} = this.database;
    const [row] = await query(
      `SELECT *, ${now} AS read_at FROM sales
       WHERE ${isToBuyer} AND ${isPaid}
         AND sha256 = ? AND settled_at > ${now} - redownload_days * ${DAY_MS}
       ORDER BY settled_at DESC LIMIT 1`,
      [network, payer, url, sha256],
    );
    return row && saleIn(row);
  }

  async passes({network, payer, url}: Buyer): Promise<Sale[]> {
    const rows = await this.database.query(
      `SELECT *, ${this.database.now} AS read_at FROM sales
       WHERE ${isToBuyer} AND ${isPaid} AND later_snapshots > 0
       ORDER BY settled_at DESC LIMIT ${MAX_PASSES}`,
      [network, payer, url],
    );
    return rows.map(saleIn);
  }

  async signIn(payer: string, nonce: string): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO sign_ins VALUES (?, ?, ${this.database.now}) ON CONFLICT DO NOTHING RETURNING nonce`,
      [payer, nonce],
    );
    return rows.length === 1;
  }

  async recordCollection({key, paymentId, sale, sha256}: NewCollection): Promise<void> {
    await this.database.query(
      `INSERT INTO collections (key, payment_id, sale, sha256, at) VALUES (?, ?, ?, ?, ${this.database.now})
       ON CONFLICT (key) DO UPDATE SET sha256 = excluded.sha256, at = excluded.at`,
      [key, paymentId, sale, sha256],
    );
  }

  async isArchived({url, sha256}: SoldDocument, days: number): Promise<boolean> {
    const {query, now} = this.database;
    const until = `${now} + ${days * DAY_MS}`;
    const rows = await query(
      `UPDATE documents SET archived_until = CASE WHEN archived_until > ${until} THEN archived_until ELSE ${until} END
       WHERE url = ? AND sha256 = ? RETURNING part`,
      [url, sha256],
    );
    return rows.some(({part}) => Number(part) === 0);
  }

  async archive({url, sha256}: SoldDocument, part: number, content: string, days: number): Promise<void> {
    const {query, now} = this.database;
    await query(
      `INSERT INTO documents (url, sha256, part, archived_until, content)
       VALUES (?, ?, ?, ${now} + ${days * DAY_MS}, ?) ON CONFLICT DO NOTHING`,
      [url, sha256, part, content],
    );
  }

  async archivedParts({url, sha256}: SoldDocument): Promise<number> {
    const [row] = await this.database.query(
      'SELECT count(*) AS parts, max(part) AS last FROM documents WHERE url = ? AND sha256 = ?',
      [url, sha256],
    );
    const parts = Number(row?.['parts']);
    return Number(row?.['last']) === parts - 1 ? parts : 0;
  }

  async archivedPart({url, sha256}: SoldDocument, part: number): Promise<string | undefined> {
    const sql = 'SELECT content FROM documents WHERE url = ? AND sha256 = ? AND part = ?';
    const [row] = await this.database.query(sql, [url, sha256, part]);
    return row?.['content'] as string | undefined;
  }

  async prune(): Promise<void> {
    const {query, now} = this.database;
    await query(`DELETE FROM sign_ins WHERE at < ${now} - ${DAY_MS}`);
    // With a clock that is days ahead no payment is valid, and no sale starts: the start of the latest sale is a reliable time.
    const latest = '(SELECT max(started_at) FROM sales)';
    await query(`DELETE FROM collections WHERE at < ${latest} - ${DAY_MS}`);
    await query(`DELETE FROM documents WHERE archived_until < ${latest}`);
  }
}
