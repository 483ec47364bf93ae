import {InputError} from '../../shared/fault.ts';
import type {Json} from '../../build/kinds/kind.ts';
import {decode, parse} from '../../shared/json-text.ts';

/** Deeper than any document of a site; what walks a value by calling itself then never runs out of stack. */
const MAX_DEPTH = 64;

/**
 * Parses strict JSON of strangers. Throws `InputError` where it is none, or holds what no honest document does: a nesting that can
 * only be an attack, a number that is none to JavaScript.
 */
export function readUntrusted(name: string, bytes: Uint8Array): unknown {
  const text = decode(name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const value = asWritten(text) ?? parse(name, text).value;
  const fault = oddityIn(value);
  if (fault === undefined) return value;
  throw new InputError({file: name, rule: fault});
}

/** A JSON object of strangers. */
export function readObject(name: string, bytes: Uint8Array): Json {
  const value = readUntrusted(name, bytes);
  if (isObject(value) && !Array.isArray(value)) return value;
  throw new InputError({file: name, rule: 'is not a JSON object'});
}

/** Whether a value has members: it is an object, or a list. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

/** An escaped half of a surrogate pair, or a whole pair in escapes. */
const SURROGATE = /\\ud[89a-f]/i;

/**
 * The value of a text that is written as the build writes it: then no member stands twice, since it would be gone. Takes a tenth of
 * the time and half of the memory that it takes to find out where everything stands. Nothing for any other text.
 */
function asWritten(text: string): unknown {
  if (SURROGATE.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return oddityIn(value) === undefined && `${JSON.stringify(value, null, 2)}\n` === text ? value : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Whether a value is nested more deeply than any document of a site; does not call itself. */
export function isTooDeep(value: unknown): boolean {
  return oddityIn(value) === TOO_DEEP;
}

const TOO_DEEP = `is nested more than ${MAX_DEPTH} levels deep`;

/** What a value holds that no document of a site does, as the end of a sentence; does not call itself. */
function oddityIn(value: unknown): string | undefined {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = [];
    for (const one of level) {
      if (typeof one === 'number' && !Number.isFinite(one)) return 'holds a number that is too large, such as 1e400';
      if (isObject(one)) for (const inner of Object.values(one)) below.push(inner);
    }
    if (depth > MAX_DEPTH) return TOO_DEEP;
    level = below;
  }
  return undefined;
}
