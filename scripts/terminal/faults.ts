import {SiteError} from '../../paywall/site/site-error.ts';
import {faultLines, InputError} from '../../shared/fault.ts';

/** What is wrong, for a program. */
export function faultsForPrograms({faults, more}: InputError): object {
  return {ok: false, faults, more};
}

/** What is wrong, in lines; nothing where it is no fault of the input but a bug. */
export function linesOf(error: unknown): string | undefined {
  if (error instanceof InputError) return faultLines(error);
  return error instanceof SiteError ? error.message : undefined;
}
