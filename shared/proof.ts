/** The kinds of proof: a timestamp of an authority (RFC 3161), or a transaction that contains the digest. */
export type ProofKind = 'rfc3161' | 'transaction';

/** The most that clocks may differ, in milliseconds. If a proof is older than its freeze by more than this, it belongs to other data. */
const CLOCKS_MS = 5 * 60_000;

/**
 * Returns an error, as the end of a sentence, if a proof is older than its freeze. The digest covers the descriptor, which
 * contains `as_of`, and `frozen freeze` refuses a future `as_of`.
 * @param latest the latest time that the proof allows
 */
export function earlinessOf(latest: string, as_of: string): string | undefined {
  if (Date.parse(latest) >= Date.parse(as_of) - CLOCKS_MS) return undefined;
  return `is of ${latest}, older than its freeze, whose as_of is ${as_of}`;
}
