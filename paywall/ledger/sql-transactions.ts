import type {Database, Row} from './database.ts';
import type {Numbered, Signer} from './transaction.ts';

/** Reserves the next number: as `Ledger.reserve`. */
export async function reserve(
  {query, now}: Database,
  {network, address}: Signer,
  key: string,
  from: number,
): Promise<number> {
  for (;;) {
    // Loses to another process that takes the same number by the primary key, and then asks again.
    const [row] = await query(
      `INSERT INTO transactions (network, signer, nonce, sale, signed, changed_at)
       SELECT CAST(? AS TEXT), CAST(? AS TEXT), max(candidate), CAST(? AS TEXT), '', ${now}
       FROM (SELECT CAST(? AS BIGINT) AS candidate
             UNION ALL SELECT max(nonce) + 1 FROM transactions WHERE network = ? AND signer = ?) AS candidates
       WHERE true
       ON CONFLICT DO NOTHING RETURNING nonce`,
      [network, address, key, from, network, address],
    );
    if (row) return Number(row['nonce']);
  }
}

/** Notes a signed transaction: as `Ledger.addSigned`. Adding is one statement, so none that others add gets lost. */
export async function addSigned(
  {query, now}: Database,
  {network, address}: Signer,
  nonce: number,
  transaction: string,
): Promise<void> {
  const rows = await query(
    `UPDATE transactions SET signed = signed || CAST(? AS TEXT), changed_at = ${now}
     WHERE network = ? AND signer = ? AND nonce = ? RETURNING nonce`,
    [`${transaction} `, network, address, nonce],
  );
  if (rows.length === 0) throw new Error(`the number ${nonce} of ${address} is not reserved`);
}

/** Lists numbers: as `Ledger.numbers`. */
export async function numbers(
  {query, now}: Database,
  {network, address}: Signer,
  from: number,
  key?: string,
): Promise<Numbered[]> {
  const rows = await query(
    `SELECT nonce, sale, signed, ${now} - changed_at AS age FROM transactions
     WHERE network = ? AND signer = ? AND nonce >= ? ${key === undefined ? '' : 'AND sale = ?'} ORDER BY nonce`,
    [network, address, from, ...(key === undefined ? [] : [key])],
  );
  return rows.map(numberedIn);
}

function numberedIn(row: Row): Numbered {
  return {
    nonce: Number(row['nonce']),
    key: row['sale'] as string,
    signed: (row['signed'] as string).split(' ').filter(isSigned),
    age: Number(row['age']),
  };
}

function isSigned(text: string): text is `0x${string}` {
  return text.startsWith('0x');
}
