import {counted} from '../../shared/counted.ts';
import {englishDate} from '../../shared/english.ts';
import type {ListedFreeze} from '../../shared/shapes.ts';
import {noted, passed, type Check} from './check.ts';

/** The verified confirmation of a witness, an authority or a chain, that a freeze existed at a time. */
export interface ProofResult {
  /** The name of the witness; for a chain, with the transaction. */
  readonly by: string;
  /** The network of a chain, or the name of an authority. Several results of one witness count once. */
  readonly witness: string;
  /** The latest possible time. */
  readonly latest: string;
}

export interface ExaminedProof {
  readonly checks: readonly Check[];
  readonly result?: ProofResult;
  /** A description of a proof without faults that could not be verified. */
  readonly unproved?: string;
}

export const PROOF = 'proof';
/** The kind of the check that summarises the proofs of a freeze. */
export const WITNESS = 'witness';

/** Proofs after this number of hours are late. */
const LATE_HOURS = 7 * 24;

/** Summarises the witnesses of a freeze. They prove that it existed, not that it is true or was made at its `as_of`. */
export function proofSummary(subject: string, {as_of}: ListedFreeze, proofs: readonly ExaminedProof[]): Check[] {
  const sorted = proofs.flatMap(({result}) => result ?? []).sort((a, b) => (a.latest < b.latest ? -1 : 1));
  const verified = sorted.filter((one, at) => sorted.findIndex(({witness}) => witness === one.witness) === at);
  const [first] = verified;
  if (!first) {
    const words = proofs.flatMap(({unproved}) => unproved ?? []).join('; ');
    return words === ''
      ? []
      : [noted(WITNESS, subject, `has no verified proof that it existed. Not verified: ${words}`)];
  }
  const hours = Math.floor((Date.parse(first.latest) - Date.parse(as_of)) / 3_600_000);
  const [same, later] = [true, false].map(isSame =>
    verified.filter(({latest}) => (minuteOf(latest) === minuteOf(first.latest)) === isSame),
  );
  const said = [
    `existed no later than ${minuteOf(first.latest)}, ${gap(hours)} its as_of, by ${together(same ?? [])}`,
    ...(later ?? []).map(({by, latest}) => `no later than ${minuteOf(latest)}, by ${by}`),
  ].join('; ');
  if (hours <= LATE_HOURS) return [passed(WITNESS, subject, said)];
  return [noted(WITNESS, subject, `${said}; nothing shows that it existed before`)];
}

function together(results: readonly ProofResult[]): string {
  const names = results.map(({by}) => by).join(' and ');
  return results.length === 1 ? names : `${NUMBERS[results.length] ?? results.length} witnesses: ${names}`;
}

const NUMBERS = ['', '', 'two', 'three', 'four'];

/** Formats a time to the minute, rounded up so that the statement stays true. */
export function minuteOf(time: string): string {
  const rounded = new Date(Math.ceil(Date.parse(time) / 60_000) * 60_000);
  return `${englishDate(rounded)} ${rounded.toISOString().slice('YYYY-MM-DDT'.length, -':ss.sssZ'.length)} UTC`;
}

function gap(hours: number): string {
  if (hours < 1) return 'within an hour of';
  return hours < 48 ? `${counted(hours, 'hour')} after` : `${Math.floor(hours / 24)} days after`;
}
