import {ERRORS} from './error-codes.ts';
import {describeFault, type Fault, type InputError, sentenceOf} from './fault.ts';

/** A message shows at most so many errors; the others are counted. */
const MOST_SHOWN = 20;

/** Returns errors for programs: `{ok, errors: [{code, message, fix, file, url, line, column, field, value}], more}`. */
export function errorsForPrograms({faults, more}: InputError): object {
  const errors = faults.map(fault => {
    const {code, file, url, line, column, field, value} = fault;
    return {code, message: ended(sentenceOf(fault)), fix: fixOf(fault), file, url, line, column, field, value};
  });
  return {ok: false, errors, more};
}

/** Returns errors as text: a line for each of the first twenty, how many more there are, and a line with the remedy of each code. */
export function faultLines(error: InputError): string {
  const shown = error.faults.slice(0, MOST_SHOWN);
  const lines = shown.map(fault => `${ended(describeFault(fault))} [${fault.code}]`);
  const more = error.faults.length - shown.length + error.more;
  const remedies = new Set(shown.map(fault => `${fault.code}: ${fixOf(fault)}`));
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : []), ...remedies].join('\n');
}

/** Adds a period to a sentence. One that ends with a question has its mark. */
function ended(sentence: string): string {
  return sentence.endsWith('?') ? sentence : `${sentence}.`;
}

/** Returns the remedy of an error: its own, or that of its code. */
export function fixOf({code, fix}: Fault): string {
  return fix ?? ERRORS[code].fix;
}
