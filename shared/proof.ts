/** The kinds of witness: an authority that stamps digests (RFC 3161), or a chain that holds one in the data of a transaction. */
export type ProofKind = 'rfc3161' | 'transaction';

/** Clocks differ by so much, in milliseconds; what is older than its freeze by more is not of that freeze. */
const CLOCKS_MS = 5 * 60_000;

/**
 * How a proof is older than the freeze that it is kept beside, as the end of a sentence about it; undefined where it is not. The digest
 * covers the descriptor, which says `as_of`, and `frozen freeze` takes no moment of the future.
 *
 * @param latest the latest moment that the witness may mean
 */
export function earlinessOf(latest: string, as_of: string): string | undefined {
  if (Date.parse(latest) >= Date.parse(as_of) - CLOCKS_MS) return undefined;
  return `is of ${latest}, older than its freeze, whose as_of is ${as_of}`;
}
