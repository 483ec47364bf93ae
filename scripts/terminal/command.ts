import {InvalidArgumentError, Option} from '@commander-js/extra-typings';
import {rootFolder} from '../../shared/command-line.ts';
import {encode} from '../../shared/encode.ts';
import {errorsForPrograms, faultLines} from '../../shared/error-text.ts';
import {InputError} from '../../shared/fault.ts';
import {httpUrl} from '../../shared/service-url.ts';
import {expectedError} from './faults.ts';
import type {StatusLine} from './status-line.ts';

interface Stream {
  write(text: string): unknown;
}

export type Terminal = ReturnType<typeof newTerminal>;

/**
 * Returns the output of a command.
 *
 * @param line shows the progress of long work
 * @param json true with `--json`
 */
export function newTerminal(out: Stream, err: Stream, line: StatusLine, json = false) {
  return {
    ...{out, err, line},
    /**
     * Called when standard output cannot be written. By default it ends the process with `code`. Without one, the exit code is that of the
     * command if it has finished, otherwise 0.
     */
    onOutputEnd(code?: number): void {
      // `process.exit(undefined)` would set the code to 0.
      if (code === undefined) process.exit();
      process.exit(code);
    },
    /**
     * Prints a result: with `--json` the facts, to which `ok` is added, otherwise the text.
     *
     * @param indent of the JSON; 0 for one line
     */
    print(facts: object, text: string, indent = 2): void {
      line.end();
      out.write(`${json ? JSON.stringify({ok: true, ...facts}, null, indent) : text}\n`);
    },
    /** Prints errors to standard error, one per line, and with `--json` also to standard output. */
    printErrors(error: InputError): void {
      line.end();
      if (json) out.write(encode(errorsForPrograms(error)));
      err.write(`${faultLines(error)}\n`);
    },
  };
}

/**
 * Runs the work of a command and prints errors in its input. The work returns the exit code, or nothing for success. It loads large modules
 * itself, so that --help is fast.
 */
export type Run = (
  options: {readonly json?: boolean | undefined},
  work: (terminal: Terminal) => Promise<number | undefined>,
) => Promise<void>;

/**
 * Returns the exit code of `work`, or 1 for wrong input and 2 for wrong usage, whose errors are printed.
 *
 * @param verbose whether to print the causes of an error
 */
export async function exitCodeOf(work: Parameters<Run>[1], terminal: Terminal, verbose = false): Promise<number> {
  try {
    return (await work(terminal)) ?? 0;
  } catch (error) {
    const expected = expectedError(error);
    if (!expected) throw error;
    terminal.printErrors(expected);
    if (verbose) terminal.err.write(causesOf(error));
    return expected.ofUsage ? 2 : 1;
  } finally {
    terminal.line.end();
  }
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
