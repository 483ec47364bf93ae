import type {Database} from './database.ts';
import type {Buyer, SoldDocument} from './ledger.ts';
import {isIn} from './schema.ts';
import type {Sale} from './sale.ts';
import {saleIn} from './sale-row.ts';

const DAY_MS = 24 * 3_600_000;
/** Enough, because a payer buys another pass only after the last one has ended. */
const MAX_PASSES = 100;
/** The condition for sales that entitle their payer to the document. */
const isPaid = `${isIn(['settled', 'delivered', 'expired'])} AND refund_tx IS NULL AND proven = 1`;

/** Implements `Ledger.bought`. */
export async function bought(
  {query, now}: Database,
  {network, payer, url}: Buyer,
  sha256: string,
  days: number,
): Promise<Sale | undefined> {
  const [row] = await query(
    `SELECT *, ${now} AS read_at FROM sales
     WHERE url = ? AND payer = ? AND network = ? AND ${isPaid}
       AND sha256 = ? AND settled_at > ${now} - coalesce(redownload_days, CAST(? AS BIGINT)) * ${DAY_MS}
     ORDER BY settled_at DESC LIMIT 1`,
    [url, payer, network, sha256, days],
  );
  return row && saleIn(row);
}

/** Implements `Ledger.passes`. */
export async function passes({query, now}: Database, {network, payer, url}: Buyer): Promise<Sale[]> {
  const rows = await query(
    `SELECT *, ${now} AS read_at FROM sales
     WHERE url = ? AND payer = ? AND network = ? AND ${isPaid} AND coalesce(later_snapshots, 1) > 0
     ORDER BY settled_at DESC LIMIT ${MAX_PASSES}`,
    [url, payer, network],
  );
  return rows.map(saleIn);
}

/** Implements `Ledger.signIn`. */
export async function signIn({query, now}: Database, payer: string, nonce: string): Promise<boolean> {
  const rows = await query(`INSERT INTO sign_ins VALUES (?, ?, ${now}) ON CONFLICT DO NOTHING RETURNING nonce`, [
    payer,
    nonce,
  ]);
  return rows.length === 1;
}

/** Implements `Ledger.isArchived`. */
export async function isArchived({query, now}: Database, {url, sha256}: SoldDocument, days: number): Promise<boolean> {
  const until = `${now} + ${days * DAY_MS}`;
  const rows = await query(
    `UPDATE documents SET sold_at = ${now},
       archived_until = CASE WHEN archived_until > ${until} THEN archived_until ELSE ${until} END
     WHERE url = ? AND sha256 = ? RETURNING part`,
    [url, sha256],
  );
  return rows.some(({part}) => Number(part) === 0);
}

/** Implements `Ledger.archive`. */
export async function archive(
  {query, now}: Database,
  {url, sha256}: SoldDocument,
  part: number,
  content: string,
  days: number,
): Promise<void> {
  await query(
    `INSERT INTO documents (url, sha256, part, sold_at, archived_until, content)
     VALUES (?, ?, ?, ${now}, ${now} + ${days * DAY_MS}, ?) ON CONFLICT DO NOTHING`,
    [url, sha256, part, content],
  );
}

/** Implements `Ledger.archivedParts`. */
export async function archivedParts({query}: Database, {url, sha256}: SoldDocument): Promise<number> {
  const sql =
    'SELECT count(*) AS parts, min(part) AS first, max(part) AS last FROM documents WHERE url = ? AND sha256 = ?';
  const [row] = await query(sql, [url, sha256]);
  const [parts, first, last] = [Number(row?.['parts']), Number(row?.['first']), Number(row?.['last'])];
  return first === 0 && last === parts - 1 ? parts : 0;
}

/** Implements `Ledger.archivedPart`. */
export async function archivedPart(
  {query}: Database,
  {url, sha256}: SoldDocument,
  part: number,
): Promise<string | undefined> {
  const sql = 'SELECT content FROM documents WHERE url = ? AND sha256 = ? AND part = ?';
  const [row] = await query(sql, [url, sha256, part]);
  return row?.['content'] as string | undefined;
}

/** Implements `Ledger.prune`. */
export async function prune({query, now}: Database, baseUrl: string, days: number): Promise<void> {
  await query(`DELETE FROM sign_ins WHERE at < ${now} - ${DAY_MS}`);
  const prefix = `${baseUrl}/`;
  await query(
    `DELETE FROM documents WHERE coalesce(archived_until, sold_at + ?) < ${now} AND substr(url, 1, ${prefix.length}) = ?`,
    [days * DAY_MS, prefix],
  );
}
