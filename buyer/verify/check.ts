import {InputError} from '../../shared/fault.ts';
import {printable} from '../../shared/printable.ts';

/** The result of a check. `noted` and `unchecked` are not failures: one is a notice, the other says what was not checked. */
export type State = 'passed' | 'failed' | 'noted' | 'unchecked';

/** A check with its result. All texts are printable, even if they come from a site. */
export interface Check {
  /** The kind of check, such as `digest`. */
  readonly what: string;
  /** The checked path, product or file. */
  readonly subject: string;
  readonly state: State;
  readonly detail: string;
}

const DETAIL_LENGTH = 300;
/** The number of errors depends on untrusted input, so it is limited. */
const MOST_FAULTS = 1000;

const maker = (state: State) => (what: string, subject: string, detail: string) => check(state, what, subject, detail);

export const passed = maker('passed');
export const failed = maker('failed');
export const noted = maker('noted');

/** @param detail why the check was not possible */
export function unchecked(what: string, subject: string, detail: string): Check {
  return check('unchecked', what, subject, `not checked: ${detail}`);
}

/** Returns a failure for each error, up to MOST_FAULTS, or one pass with the text `fine`. */
export function verdict(what: string, subject: string, faults: readonly string[], fine: string): Check[] {
  if (faults.length === 0) return [passed(what, subject, fine)];
  const more = faults.length - MOST_FAULTS;
  return [
    ...faults.slice(0, MOST_FAULTS).map(fault => failed(what, subject, fault)),
    ...(more > 0 ? [failed(what, subject, `… and ${more} more`)] : []),
  ];
}

/** Converts an exception during a check to failures. The input is untrusted, so this is not a bug. */
export function checksFromError(what: string, subject: string, error: unknown): Check[] {
  if (error instanceof InputError) {
    const faults = error.faults.slice(0, 10).map(({field, rule}) => [field, rule].filter(Boolean).join(' '));
    return faults.map(fault => failed(what, subject, fault));
  }
  const message = error instanceof Error ? error.message : 'the reason is unknown';
  const why = error instanceof RangeError ? 'it is nested too deeply, or refers to itself' : message;
  return [failed(what, subject, `cannot be checked: ${why}`)];
}

/** Returns the verdict about the errors of `find`, or failures if it throws. */
export function judged(what: string, subject: string, find: () => readonly string[], fine: string): Check[] {
  try {
    return verdict(what, subject, find(), fine);
  } catch (error) {
    return checksFromError(what, subject, error);
  }
}

/** True if no check failed. Notes and checks that were not possible are not failures. */
export function isFine(checks: readonly Check[]): boolean {
  return checks.every(({state}) => state !== 'failed');
}

function check(state: State, what: string, subject: string, detail: string): Check {
  return {what, subject: printable(shortened(subject)), state, detail: printable(shortened(detail))};
}

function shortened(text: string): string {
  return text.length > DETAIL_LENGTH ? `${text.slice(0, DETAIL_LENGTH)}…` : text;
}
