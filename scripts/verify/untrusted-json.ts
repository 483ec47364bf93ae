import {InputError} from '../../shared/fault.ts';
import {decode, parse, type JsonText} from '../../build/read/json-text.ts';

/** Deeper than any document of a site; what walks a value by calling itself then never runs out of stack. */
const MAX_DEPTH = 64;

/** Parses strict JSON of strangers. Throws `InputError` where it is none, or nested so deeply that it can only be an attack. */
export function readUntrusted(name: string, bytes: Uint8Array): JsonText {
  const json = parse(name, decode(name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
  if (!isTooDeep(json.value)) return json;
  throw new InputError({file: name, rule: `is nested more than ${MAX_DEPTH} levels deep`});
}

/** A JSON object of strangers. */
export function readObject(name: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const {value} = readUntrusted(name, bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new InputError({file: name, rule: 'is not a JSON object'});
}

/** Whether a value is nested more deeply than any document of a site; does not call itself. */
export function isTooDeep(value: unknown): boolean {
  const isNested = (inner: unknown): inner is object => typeof inner === 'object' && inner !== null;
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= MAX_DEPTH) return true;
    level = level.flatMap(inner => Object.values(inner).filter(isNested));
  }
  return false;
}
