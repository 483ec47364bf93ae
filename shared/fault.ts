import type {ErrorCode} from './error-codes.ts';
import {printable} from './printable.ts';
import {shownAddress, shownValue, withShownAddresses} from './shown-address.ts';

/** The place of an error: a file or an address. */
export type Place =
  {readonly file: string; readonly url?: undefined} | {readonly file?: undefined; readonly url: string};

/** One error in the input: its code, its place if it has one, and what is wrong. */
export interface Fault {
  /** A code of `shared/error-codes.ts`, which has the remedy. */
  readonly code: ErrorCode;
  /** Path of a file or folder from the root, with forward slashes. */
  readonly file?: string | undefined;
  /** The address of a document, a site or another server, instead of a file. */
  readonly url?: string | undefined;
  /** 1-based physical line. */
  readonly line?: number | undefined;
  /** 1-based. Present if the line is not precise enough. */
  readonly column?: number | undefined;
  readonly field?: string | undefined;
  readonly value?: unknown;
  /** The subject of the sentence if it is neither a file, an address nor a field, e.g. `The wallet 0x…`. */
  readonly subject?: string | undefined;
  /** Completes the sentence that begins with the field and the value, the subject, or the place: `is not one of fraud, dead`. */
  readonly rule: string;
  /** The remedy: whole sentences. By default that of the code. */
  readonly fix?: string | undefined;
}

const SHOWN_VALUE_LENGTH = 80;

/** Returns an error on one line, with its place: `file:line: field "value" rule`, or `file rule`. */
export function describeFault(fault: Fault): string {
  const {file, url, line, column, field, value, subject, rule} = fault;
  const place = [file ?? url, line, column].filter(part => part !== undefined).join(':');
  if (place === '') return sentenceOf(fault);
  const hasSubject = field !== undefined || value !== undefined || subject !== undefined;
  return printable(hasSubject ? `${place}: ${sentenceOf(fault)}` : `${place} ${rule}`);
}

/** Returns the sentence about an error, without its line. */
export function sentenceOf({file, url, field, value, subject, rule}: Fault): string {
  const named = [subject, field, value === undefined ? undefined : describeValue(value)];
  const subjects = named.some(word => word !== undefined) ? named : [file ?? url];
  return printable([...subjects, rule].filter(word => word !== undefined).join(' '));
}

function describeValue(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_VALUE_LENGTH ? `${text.slice(0, SHOWN_VALUE_LENGTH)}…` : text;
}

/** A value from an untrusted source can be nested so deeply that `JSON.stringify` overflows the stack. */
const MOST_LEVELS = 100;
const TOO_DEEP = '[nested too deeply to be shown]';

function isShallow(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every(inner => isShallow(inner, levels - 1));
}

/** Removes what may be secret from the URLs in a fault. A value without `@` cannot contain a password. */
function withoutSecrets(fault: Fault): Fault {
  const {file, url, rule, subject, fix} = fault;
  const value = isShallow(fault.value) ? fault.value : TOO_DEEP;
  const text = value === undefined ? '' : JSON.stringify(value);
  const shown: unknown = text.includes('@')
    ? JSON.parse(text, (_member, inner: unknown) => (typeof inner === 'string' ? shownValue(inner) : inner))
    : value;
  return {
    ...fault,
    ...(file === undefined ? {} : {file: withShownAddresses(file)}),
    ...(url === undefined ? {} : {url: shownAddress(url)}),
    ...(subject === undefined ? {} : {subject: withShownAddresses(subject)}),
    ...(fix === undefined ? {} : {fix: withShownAddresses(fix)}),
    ...(value === undefined ? {} : {value: shown}),
    rule: withShownAddresses(rule),
  };
}

/** The codes of errors in variables and options: combined wrongly, with a wrong value, or missing. They are always wrong usage. */
const USAGE_CODES: readonly ErrorCode[] = ['FZ501', 'FZ901', 'FZ902', 'FZ903'];

/** Facts about all faults of an `InputError`. */
interface Flags {
  /** How many further faults were counted but not listed. */
  readonly more: number;
  /** True if nothing else can be checked after it, for example because the disk is full. */
  readonly final: boolean;
  /** True if a larger or faster machine might accept the same input. */
  readonly ofMachine: boolean;
  /** True if the command was called wrongly, for example with an ineffective option. The exit code is then 2. */
  readonly ofUsage: boolean;
}

/** The data of an `InputError`, which can be sent between threads and processes. */
export interface Refusal extends Flags {
  readonly faults: readonly Fault[];
}

/** An expected failure, for example invalid input. Every other exception is a bug. */
export class InputError extends Error implements Refusal {
  readonly faults: readonly Fault[];
  readonly more: number;
  readonly final: boolean;
  readonly ofMachine: boolean;
  readonly ofUsage: boolean;

  /** If the cause is an `InputError`, its flags are the defaults. `ofUsage` is also set by a fault of a variable or an option. */
  constructor(faults: Fault | readonly Fault[], {cause, ...given}: ErrorOptions & Partial<Flags> = {}) {
    const list = ('rule' in faults ? [faults] : faults).map(withoutSecrets);
    super(list.map(describeFault).join('\n'), {cause});
    this.name = 'InputError';
    this.faults = list;
    const inner = cause instanceof InputError ? cause : undefined;
    this.more = given.more ?? inner?.more ?? 0;
    this.final = given.final ?? inner?.final ?? false;
    this.ofMachine = given.ofMachine ?? inner?.ofMachine ?? false;
    const isOfUsage = list.some(({code}) => USAGE_CODES.includes(code));
    this.ofUsage = given.ofUsage ?? (inner?.ofUsage === true || isOfUsage);
  }

  /** Returns one error with the faults of all errors. A flag is set if one of them has it. */
  static merged(errors: readonly Refusal[]): InputError {
    return new InputError(
      errors.flatMap(({faults}) => faults),
      {
        more: errors.reduce((sum, {more}) => sum + more, 0),
        final: errors.some(({final}) => final),
        ofMachine: errors.some(({ofMachine}) => ofMachine),
        ofUsage: errors.some(({ofUsage}) => ofUsage),
      },
    );
  }

  refusal(): Refusal {
    const {faults, more, final, ofMachine, ofUsage} = this;
    return {faults, more, final, ofMachine, ofUsage};
  }
}

/** Returns the error of a command that was called wrongly. */
export function wrongUsage(fault: Fault): InputError {
  return new InputError(fault, {ofUsage: true});
}

/** Throws `InputError` if there are faults. */
export function refuse(faults: readonly Fault[], options?: ConstructorParameters<typeof InputError>[1]): void {
  if (faults.length > 0) throw new InputError(faults, options);
}

/**
 * Maps every item and returns all results, or throws one `InputError` with the faults of all items, so that one run reports all errors.
 * Items are mapped one after the other; a final fault stops at once.
 */
export async function mapAll<T, R>(items: Iterable<T>, map: (item: T) => R | Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const errors: InputError[] = [];
  for (const item of items) {
    try {
      results.push(await map(item));
    } catch (error) {
      if (!(error instanceof InputError) || error.final) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw InputError.merged(errors);
  return results;
}

/** Runs every step, one after the other, and returns all results, or throws one `InputError` with the faults of all. */
export async function all<T extends readonly unknown[]>(...steps: {[K in keyof T]: () => Promise<T[K]>}): Promise<T> {
  // As many results as steps, in their order.
  return (await mapAll(steps, step => step())) as unknown as T;
}

/** The synchronous form of `all`. */
export function allNow<T extends readonly unknown[]>(...steps: {[K in keyof T]: () => T[K]}): T {
  const results: unknown[] = [];
  const errors: InputError[] = [];
  for (const step of steps) {
    try {
      results.push(step());
    } catch (error) {
      if (!(error instanceof InputError) || error.final) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw InputError.merged(errors);
  return results as unknown as T;
}
