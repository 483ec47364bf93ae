import {SiteError} from '../../paywall/site/site-error.ts';
import {faultLines, InputError} from '../../shared/fault.ts';

/** Returns errors as JSON. */
export function faultsForPrograms({faults, more}: InputError): object {
  return {ok: false, faults, more};
}

/** Returns an expected error as lines, or undefined for a bug. */
export function linesOf(error: unknown): string | undefined {
  if (error instanceof InputError) return faultLines(error);
  return error instanceof SiteError ? error.message : undefined;
}
