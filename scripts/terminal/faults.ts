import {SiteError} from '../../paywall/site/site-error.ts';
import type {ErrorCode} from '../../shared/error-codes.ts';
import {faultLines} from '../../shared/error-text.ts';
import {InputError} from '../../shared/fault.ts';

/** Returns an expected error with its codes and places, or undefined for a bug. */
export function expectedError(error: unknown): InputError | undefined {
  if (error instanceof InputError) return error;
  if (!(error instanceof SiteError)) return undefined;
  const rule = error.message.replace(/\.$/, '');
  return new InputError({code: error.code, rule, fix: error.fix}, {cause: error.cause});
}

/** Returns what an expected error says, in lines, or undefined for a bug. */
export function linesOf(error: unknown): string | undefined {
  const expected = expectedError(error);
  return expected && faultLines(expected);
}

/** The code of an error of Commander. All others are FZ905. */
const USAGE_CODES: Readonly<Record<string, ErrorCode>> = {
  'commander.invalidArgument': 'FZ902',
  'commander.missingMandatoryOptionValue': 'FZ903',
};

/** Returns the error for a command line that cannot be parsed, from the message of Commander without secrets and its code. */
export function usageError(message: string, kind: string): InputError {
  const rule = message
    .trim()
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '');
  return new InputError({code: USAGE_CODES[kind] ?? 'FZ905', rule: `${rule.charAt(0).toUpperCase()}${rule.slice(1)}`});
}
