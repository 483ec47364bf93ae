import {isBroken, type Review} from './report.ts';
import {plain} from './words.ts';

/** The review for programs; sentences as text. */
export function json(review: Review): string {
  const findings = review.findings.map(finding => ({...finding, says: plain(finding.says)}));
  const whole = {ok: !isBroken(review), ...review, findings, notes: review.notes.map(plain)};
  return `${JSON.stringify(whole, null, 2)}\n`;
}
