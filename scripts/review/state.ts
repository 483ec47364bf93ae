import type {ValidateFunction} from 'ajv';
import {InputError} from '../../shared/fault.ts';
import {validated} from '../../build/read/json-file.ts';
import {decode, parse} from '../../shared/json-text.ts';
import {readUntrusted} from '../../buyer/verify/untrusted-json.ts';

/** The generated files of a site at one moment: a revision, or the working tree. */
export interface State {
  /** For people, e.g. `HEAD (1a2b3c4)`. */
  readonly name: string;
  /** What messages put before a path: `HEAD:`, or nothing. */
  readonly place: string;
  /** The digest that git names the content by, of every file below `public/` and `paywall/rules/`, by path from the root. */
  readonly ids: ReadonlyMap<string, string>;
  /** The bytes of one of these files. Throws `InputError` where it is too large or cannot be read. */
  read(path: string): Promise<Buffer>;
}

/** The folders that are generated. */
export const GENERATED = ['public', 'paywall/rules'] as const;

/** A JSON file of a state. Throws `InputError` where it is missing, broken, too large or too deep, or not what the schema says. */
export async function readJson<T>(state: State, path: string, validate: ValidateFunction<T>): Promise<T> {
  const file = state.place + path;
  if (!state.ids.has(path)) throw new InputError({file, rule: 'does not exist'});
  const bytes = await state.read(path);
  const value = readUntrusted(file, bytes);
  // Parsed again where it is wrong, to know in which lines.
  return validate(value) ? value : validated(parse(file, decode(file, bytes)), validate);
}
