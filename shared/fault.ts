import {printable} from './printable.ts';
import {shownValue, withShownAddresses} from './shown-address.ts';

/** An error in the input: its location, the value there, and an error message. */
export interface Fault {
  /** Path from the root, with forward slashes. */
  readonly file: string;
  /** Physical line, 1-based, if the error has one. */
  readonly line?: number | undefined;
  /** 1-based, if the line is not precise enough. */
  readonly column?: number | undefined;
  readonly field?: string | undefined;
  readonly value?: unknown;
  /** Completes the sentence "<field> <value> …", for example `is not one of fraud, dead`. */
  readonly rule: string;
}

const SHOWN_VALUE_LENGTH = 80;

/** Returns one line of text, with the column if there is one: `file:line: field "value" rule`. */
export function describeFault({file, line, column, field, value, rule}: Fault): string {
  const place = [file, line, column].filter(part => part !== undefined).join(':');
  const words = [field, value === undefined ? undefined : describeValue(value), rule];
  return printable(`${place}: ${words.filter(word => word !== undefined).join(' ')}`);
}

function describeValue(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_VALUE_LENGTH ? `${text.slice(0, SHOWN_VALUE_LENGTH)}…` : text;
}

/** Removes what may be secret from the URLs in a fault. A value without `@` cannot contain a password. */
function withoutSecrets(fault: Fault): Fault {
  const {file, rule, value} = fault;
  const text = value === undefined ? '' : JSON.stringify(value);
  const shown: unknown = text.includes('@')
    ? JSON.parse(text, (_member, inner: unknown) => (typeof inner === 'string' ? shownValue(inner) : inner))
    : value;
  return {
    ...fault,
    file: withShownAddresses(file),
    ...(value === undefined ? {} : {value: shown}),
    rule: withShownAddresses(rule),
  };
}

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

  /** If the cause is an `InputError`, its flags are the defaults. */
  constructor(faults: Fault | readonly Fault[], {cause, ...given}: ErrorOptions & Partial<Flags> = {}) {
    const list = ('rule' in faults ? [faults] : faults).map(withoutSecrets);
    super(list.map(describeFault).join('\n'), {cause});
    this.name = 'InputError';
    this.faults = list;
    const inner = cause instanceof InputError ? cause : undefined;
    this.more = given.more ?? inner?.more ?? 0;
    this.final = given.final ?? inner?.final ?? false;
    this.ofMachine = given.ofMachine ?? inner?.ofMachine ?? false;
    this.ofUsage = given.ofUsage ?? inner?.ofUsage ?? false;
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

/** The most faults in a message. The others are only counted. */
const SHOWN_FAULTS = 20;

/** Returns the faults of an error, one per line, up to twenty, then the number of the others. */
export function faultLines(error: InputError): string {
  const shown = error.faults.slice(0, SHOWN_FAULTS).map(describeFault);
  const more = error.faults.length - shown.length + error.more;
  return [...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n');
}

/** Throws `InputError` if there are faults. */
export function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new InputError(faults);
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
