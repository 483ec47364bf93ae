import {InputError} from '../../shared/fault.ts';
import {printable} from '../../shared/printable.ts';

/** How a check ended. Two are no failures: `noted` is worth knowing, and `unchecked` says what was not looked at. */
export type State = 'passed' | 'failed' | 'noted' | 'unchecked';

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
/** Nobody reads more, and strangers decide how many there are. */
const MOST_FAULTS = 1000;

export function passed(what: string, subject: string, detail: string): Check {
  return check('passed', what, subject, detail);
}

export function failed(what: string, subject: string, detail: string): Check {
  return check('failed', what, subject, detail);
}

export function noted(what: string, subject: string, detail: string): Check {
  return check('noted', what, subject, detail);
}

export function unchecked(what: string, subject: string, detail: string): Check {
  return check('unchecked', what, subject, `not checked: ${detail}`);
}

/** One failure for every fault, up to a thousand, or one pass that says what is fine. */
export function verdict(what: string, subject: string, faults: readonly string[], fine: string): Check[] {
  if (faults.length === 0) return [passed(what, subject, fine)];
  const more = faults.length - MOST_FAULTS;
  return [
    ...faults.slice(0, MOST_FAULTS).map(fault => failed(what, subject, fault)),
    ...(more > 0 ? [failed(what, subject, `… and ${more} more`)] : []),
  ];
}

/** The failed checks that stand for what was thrown while something was looked at: strangers wrote it, so it is no bug. */
export function thrown(what: string, subject: string, error: unknown): Check[] {
  if (error instanceof InputError) {
    const faults = error.faults.slice(0, 10).map(({field, rule}) => [field, rule].filter(Boolean).join(' '));
    return faults.map(fault => failed(what, subject, fault));
  }
  const why = error instanceof RangeError ? 'it is nested too deeply, or refers to itself' : messageOf(error);
  return [failed(what, subject, `cannot be checked: ${why}`)];
}

/** Checks, or the failed check that stands for what was thrown while they were made. */
export function attempted(what: string, subject: string, make: () => Check[]): Check[] {
  try {
    return make();
  } catch (error) {
    return thrown(what, subject, error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'for no reason that is known';
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
