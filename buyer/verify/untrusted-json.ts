import {InputError, type Place} from '../../shared/fault.ts';
import type {Json} from '../../build/kinds/kind.ts';
import {decode, parse} from '../../shared/json-text.ts';

/** Deeper than any document of a site, and small enough for recursive functions. */
const MAX_DEPTH = 64;

/**
 * Parses untrusted strict JSON. Throws `InputError` if it is invalid, nested too deeply, or has a number that JavaScript cannot represent.
 */
export function readUntrusted(name: string | Place, bytes: Uint8Array): unknown {
  const at = placeOf(name);
  const text = decode(at, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const {value} = parse(at, text);
  const fault = oddityIn(value);
  if (fault === undefined) return value;
  throw new InputError({code: 'FZ202', ...at, rule: fault});
}

/** Parses an untrusted JSON object. */
export function readObject(name: string | Place, bytes: Uint8Array): Json {
  const value = readUntrusted(name, bytes);
  if (isObject(value) && !Array.isArray(value)) return value;
  throw new InputError({code: 'FZ202', ...placeOf(name), rule: 'is not a JSON object'});
}

function placeOf(name: string | Place): Place {
  return typeof name === 'string' ? {file: name} : name;
}

/** True for an object or a list. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

/** True if a value is nested more deeply than any document of a site. Not recursive. */
export function isTooDeep(value: unknown): boolean {
  return oddityIn(value) === TOO_DEEP;
}

const TOO_DEEP = `is nested more than ${MAX_DEPTH} levels deep`;

/** Returns why a value cannot be in a document of a site, as the end of a sentence, or undefined. Not recursive. */
function oddityIn(value: unknown): string | undefined {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = [];
    for (const one of level) {
      if (typeof one === 'number' && !Number.isFinite(one)) return 'contains a number that is too large, such as 1e400';
      if (isObject(one)) for (const inner of Object.values(one)) below.push(inner);
    }
    if (depth > MAX_DEPTH) return TOO_DEEP;
    level = below;
  }
  return undefined;
}
