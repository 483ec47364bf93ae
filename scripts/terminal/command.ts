import {InvalidArgumentError, Option} from '@commander-js/extra-typings';
import {rootFolder} from '../../shared/command-line.ts';
import {errorsForPrograms, faultLines} from '../../shared/error-text.ts';
import {InputError} from '../../shared/fault.ts';
import {httpUrl} from '../../shared/service-url.ts';
import {expectedError} from './faults.ts';
import type {StatusLine} from './status-line.ts';

export interface Terminal {
  readonly out: {write(text: string): unknown};
  readonly err: {write(text: string): unknown};
  /** Shows the progress of long work. Cleared when the command ends. */
  readonly line: StatusLine;
  /** Called when standard output cannot be written. Ends the process by default. */
  onOutputEnd: (code?: number) => void;
}

/**
 * Runs the work of a command and prints errors in its input. The work returns the exit code, and loads large modules itself, so that --help
 * is fast.
 */
export type Run = (
  options: {readonly json?: boolean | undefined},
  work: (terminal: Terminal) => Promise<number>,
) => Promise<void>;

/**
 * Returns the exit code of `work`, or 1 for wrong input and 2 for wrong usage. Errors go to standard error, one per line, and with `--json`
 * also to standard output.
 *
 * @param verbose whether to print the causes of an error
 */
export async function exitCodeOf(
  {json}: Parameters<Run>[0],
  work: Parameters<Run>[1],
  terminal: Terminal,
  verbose = false,
): Promise<number> {
  try {
    return await work(terminal);
  } catch (error) {
    const expected = expectedError(error);
    if (!expected) throw error;
    terminal.line.end();
    printErrors(expected, json, terminal);
    if (verbose) terminal.err.write(causesOf(error));
    return expected.ofUsage ? 2 : 1;
  } finally {
    terminal.line.end();
  }
}

/** Prints errors to standard error, and with `--json` also to standard output. */
export function printErrors(
  error: InputError,
  json: boolean | undefined,
  {out, err}: Pick<Terminal, 'out' | 'err'>,
): void {
  if (json) out.write(`${JSON.stringify(errorsForPrograms(error), null, 2)}\n`);
  err.write(`${faultLines(error)}\n`);
}

/** Returns the stacks of unexpected causes of an error. */
function causesOf(error: unknown): string {
  const {cause} = error as Error;
  if (!(cause instanceof Error)) return '';
  return `${cause instanceof InputError ? '' : `\ncause: ${cause.stack ?? cause.message}\n`}${causesOf(cause)}`;
}

export function jsonOption(): Option<'--json'> {
  return new Option('--json', 'print the result as JSON');
}

export function rootOption(): Option<'--root <folder>', undefined, undefined, string> {
  const option = new Option(
    '--root <folder>',
    'the folder of the site (default: this folder or the nearest parent folder with data/site.json)',
  );
  return option.argParser(checked(rootFolder));
}

export function signingKeyOption() {
  const about = "the file with the site's signing key; only you may have access to it";
  return new Option('--signing-key-file <file>', about).env('FROZEN_SIGNING_KEY_FILE');
}

/** @param about the purpose of the node */
export function rpcUrlOption(about: string) {
  return new Option('--rpc-url <url>', about).env('FROZEN_RPC_URL').argParser(checked(httpUrl));
}

/** Wraps a parser of an option, so that its errors are usage errors. */
export function checked<T>(read: (text: string) => T): (text: string) => T {
  return text => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

/** Returns a parser for whole numbers from 1 to `most`. */
export function wholeNumber(most: number): (text: string) => number {
  return checked(text => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number > 0 && number <= most) return number;
    throw new Error(`Expected a whole number from 1 to ${most}.`);
  });
}

/** Parses a port; 0 means any free port. */
export function port(text: string): number {
  const number = Number(text);
  if (/^\d{1,5}$/.test(text) && number <= 65_535) return number;
  throw new Error('Expected a port from 0 to 65535.');
}

/** Collects the values of an option that can be repeated. */
export function collected(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}
