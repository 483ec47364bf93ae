import type {Database, Row} from './database.ts';
import type {ContractRefusal, ContractSpending, Reservation, ReservationPage, Signer} from './reservation.ts';
import {isIn} from './schema.ts';

/** For how long a reverted transaction closes a contract wallet, and the gas of contract wallets counts. */
const DAY_MS = 24 * 3_600_000;

/** Implements `Ledger.reserveNonce`. */
export async function reserveNonce(
  {query, now}: Database,
  {network, address}: Signer,
  key: string,
  from: number,
  spending?: ContractSpending,
): Promise<number> {
  for (;;) {
    // If another process takes the same nonce first, the primary key conflicts, and the next attempt gets another one.
    const [row] = await query(
      `INSERT INTO transactions (network, signer, nonce, sale, signed, changed_at, contract, cost)
       SELECT CAST(? AS TEXT), CAST(? AS TEXT), max(candidate), CAST(? AS TEXT), '', ${now}, CAST(? AS TEXT), CAST(? AS BIGINT)
       FROM (SELECT CAST(? AS BIGINT) AS candidate
             UNION ALL SELECT max(nonce) + 1 FROM transactions WHERE network = ? AND signer = ?) AS candidates
       WHERE true
       ON CONFLICT DO NOTHING RETURNING nonce`,
      [network, address, key, spending?.contract ?? null, spending?.cost ?? null, from, network, address],
    );
    if (row) return Number(row['nonce']);
  }
}

/** Implements `Ledger.reserveContractNonce`. One transaction, so that concurrent payments do not exceed the budget together. */
export async function reserveContractNonce(
  database: Database,
  signer: Signer,
  key: string,
  from: number,
  spending: ContractSpending,
): Promise<number | ContractRefusal> {
  let outcome: number | ContractRefusal = 'in flight';
  await database.transaction(async query => {
    const within = {...database, query};
    const refusal = await contractRefusal(within, signer, key, spending);
    outcome = refusal ?? (await reserveNonce(within, signer, key, from, spending));
  });
  return outcome;
}

/**
 * Implements `Ledger.contractRefusal`. A transaction whose sale is not paid was reverted or will be, unless a process still works on the sale.
 * A sale that a copy of the transaction paid is paid. Sales that never paid may be pruned.
 */
export async function contractRefusal(
  {query, now}: Database,
  {network, address}: Signer,
  key: string,
  {contract, cost, budget}: ContractSpending,
): Promise<ContractRefusal | null> {
  const [row] = await query(
    `SELECT coalesce(sum(CASE WHEN signer = ? THEN transactions.cost END), 0) AS spent,
       max(CASE WHEN contract = ? AND sale <> ? AND signed <> ''
             AND (sales.key IS NULL OR ${isIn(['pending', 'declined', 'unpaid', 'indeterminate'])})
           THEN CASE WHEN leased_until >= ${now} THEN 1 ELSE 2 END END) AS unpaid
     FROM transactions LEFT JOIN sales ON sales.key = transactions.sale
     WHERE transactions.network = ? AND contract IS NOT NULL AND changed_at > ${now} - ${DAY_MS}`,
    [address, contract, key, network],
  );
  if (Number(row?.['unpaid']) === 2) return 'reverted';
  if (Number(row?.['unpaid']) === 1) return 'in flight';
  return Number(row?.['spent']) + cost > budget ? 'over budget' : null;
}

/** Implements `Ledger.addTransaction`. One statement appends, so concurrent writers lose nothing. */
export async function addTransaction(
  {query, now}: Database,
  {network, address}: Signer,
  nonce: number,
  transaction: string,
  cost: number,
): Promise<void> {
  const rows = await query(
    `UPDATE transactions SET signed = signed || CAST(? AS TEXT), changed_at = ${now}, cost = CAST(? AS BIGINT)
     WHERE network = ? AND signer = ? AND nonce = ? RETURNING nonce`,
    [`${transaction} `, cost, network, address, nonce],
  );
  if (rows.length === 0) throw new Error(`the nonce ${nonce} of ${address} is not reserved`);
}

/** Implements `Ledger.reservations`. */
export async function reservations(
  {query, now}: Database,
  {network, address}: Signer,
  {from, limit, sale}: ReservationPage,
): Promise<Reservation[]> {
  const rows = await query(
    `SELECT nonce, sale, signed, ${now} - changed_at AS age FROM transactions
     WHERE network = ? AND signer = ? AND nonce >= ? ${sale === undefined ? '' : 'AND sale = ?'} ORDER BY nonce LIMIT ?`,
    [network, address, from, ...(sale === undefined ? [] : [sale]), limit],
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
