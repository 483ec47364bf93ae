import {InvalidArgumentError, Option} from '@commander-js/extra-typings';
import {rootFolder} from '../../shared/command-line.ts';
import {InputError} from '../../shared/fault.ts';
import {faultsForPrograms, linesOf} from './faults.ts';
import type {StatusLine} from './status-line.ts';

/** Where a command writes. */
export interface Terminal {
  readonly out: {write(text: string): unknown};
  readonly err: {write(text: string): unknown};
  /** Tells how far long work is; cleared when the command ends. */
  readonly line: StatusLine;
  /** Called when standard output cannot be written. It ends the process, unless a command sets another way to end. */
  onOutputEnd: (code?: number) => void;
}

/**
 * Does the work of a command, and tells what is wrong with its input. The work gives the exit code, and loads everything heavy by itself,
 * so that --help waits for nothing.
 */
export type Run = (
  options: {readonly json?: boolean | undefined},
  work: (terminal: Terminal) => Promise<number>,
) => Promise<void>;

/**
 * The exit code of `work`, or 1 if the input is wrong and 2 if the usage is. The faults go to standard error, one a line, and with `--json` to
 * standard output as well.
 *
 * @param verbose whether the causes of an error are printed too
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
    const lines = linesOf(error);
    if (lines === undefined) throw error;
    terminal.line.end();
    const faults = error instanceof InputError ? error : new InputError({file: 'site', rule: lines});
    if (json) terminal.out.write(`${JSON.stringify(faultsForPrograms(faults), null, 2)}\n`);
    terminal.err.write(`${lines}\n${verbose ? causesOf(error) : ''}`);
    return faults.ofUsage ? 2 : 1;
  } finally {
    terminal.line.end();
  }
}

/** The stacks of the causes of an error that no input explains. */
function causesOf(error: unknown): string {
  const {cause} = error as Error;
  if (!(cause instanceof Error)) return '';
  return `${cause instanceof InputError ? '' : `\ncause: ${cause.stack ?? cause.message}\n`}${causesOf(cause)}`;
}

/** `--json`. */
export function jsonOption(): Option<'--json'> {
  return new Option('--json', 'print the result as JSON');
}

/** `--root <folder>`. */
export function rootOption(): Option<'--root <folder>', undefined, undefined, string> {
  const option = new Option(
    '--root <folder>',
    'the folder of the site (default: the nearest folder with data/site.json, this one or one above)',
  );
  return option.argParser(checked(rootFolder));
}

/** Makes what a function throws a wrong usage of the option whose text it reads. */
export function checked<T>(read: (text: string) => T): (text: string) => T {
  return text => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

/** A whole number from 1 to `most`. */
export function wholeNumber(most: number): (text: string) => number {
  return checked(text => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number > 0 && number <= most) return number;
    throw new Error(`Expected a whole number from 1 to ${most}.`);
  });
}

/** A port to listen on; 0 for any that is free. */
export function port(text: string): number {
  const number = Number(text);
  if (/^\d{1,5}$/.test(text) && number <= 65_535) return number;
  throw new Error('Expected a port from 0 to 65535.');
}

/** Collects what an option is given, more than once. */
export function collected(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}
