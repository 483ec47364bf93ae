import {describeFault, type InputError} from '../../shared/fault.ts';

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
