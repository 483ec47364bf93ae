import {printable} from '../../shared/printable.ts';

/** How a check ended: `unchecked` is no failure, but says what was not looked at. */
export type State = 'passed' | 'failed' | 'unchecked';

/** One thing that was checked. All texts are printable, whatever a site sent. */
export interface Check {
  /** What kind of check, e.g. `digest`. */
  readonly what: string;
  /** What was looked at: a path, a product, a file. */
  readonly subject: string;
  readonly state: State;
  readonly detail: string;
}

const DETAIL_LENGTH = 300;

export function passed(what: string, subject: string, detail: string): Check {
  return check('passed', what, subject, detail);
}

export function failed(what: string, subject: string, detail: string): Check {
  return check('failed', what, subject, detail);
}

export function unchecked(what: string, subject: string, detail: string): Check {
  return check('unchecked', what, subject, `not checked: ${detail}`);
}

/** One failure for every fault, or one pass that says what is fine. */
export function verdict(what: string, subject: string, faults: readonly string[], fine: string): Check[] {
  return faults.length === 0 ? [passed(what, subject, fine)] : faults.map(fault => failed(what, subject, fault));
}

/** True where nothing failed. */
export function isFine(checks: readonly Check[]): boolean {
  return checks.every(({state}) => state !== 'failed');
}

function check(state: State, what: string, subject: string, detail: string): Check {
  return {what, subject: printable(shortened(subject)), state, detail: printable(shortened(detail))};
}

function shortened(text: string): string {
  return text.length > DETAIL_LENGTH ? `${text.slice(0, DETAIL_LENGTH)}…` : text;
}
