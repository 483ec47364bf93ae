import {SiteError} from '../../paywall/site/site-error.ts';
import {describeFault, InputError} from '../../shared/fault.ts';

/** No message shows more faults than this; the rest is counted. */
const SHOWN_FAULTS = 20;

/** What is wrong, for a program. */
export function faultsForPrograms({faults, more}: InputError): object {
  return {ok: false, faults, more};
}

/** Faults, one a line, up to twenty; then how many more. */
export function faultLines(error: InputError): string {
  const shown = error.faults.slice(0, SHOWN_FAULTS).map(describeFault);
  const more = error.faults.length - shown.length + error.more;
  return [...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

/** What is wrong, in lines; nothing where it is no fault of the input but a bug. */
export function linesOf(error: unknown): string | undefined {
  if (error instanceof InputError) return faultLines(error);
  return error instanceof SiteError ? error.message : undefined;
}
