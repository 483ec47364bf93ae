import type {Database, Row} from './database.ts';
import type {Reservation, Signer} from './reservation.ts';

/** Implements `Ledger.reserveNonce`. */
export async function reserveNonce(
  {query, now}: Database,
  {network, address}: Signer,
  key: string,
  from: number,
): Promise<number> {
  for (;;) {
    // If another process takes the same nonce first, the primary key conflicts, and the next attempt gets another one.
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

/** Implements `Ledger.addTransaction`. One statement appends, so concurrent writers lose nothing. */
export async function addTransaction(
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
  if (rows.length === 0) throw new Error(`the nonce ${nonce} of ${address} is not reserved`);
}

/** Implements `Ledger.reservations`. */
export async function reservations(
  {query, now}: Database,
  {network, address}: Signer,
  from: number,
  key?: string,
): Promise<Reservation[]> {
  const rows = await query(
    `SELECT nonce, sale, signed, ${now} - changed_at AS age FROM transactions
     WHERE network = ? AND signer = ? AND nonce >= ? ${key === undefined ? '' : 'AND sale = ?'} ORDER BY nonce`,
    [network, address, from, ...(key === undefined ? [] : [key])],
  );
  return rows.map(reservationIn);
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
