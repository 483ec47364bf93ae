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
  const {value} = parse(name, text);
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
