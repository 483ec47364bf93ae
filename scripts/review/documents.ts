import type {ValidateFunction} from 'ajv';
import type {Json} from '../../build/kinds/kind.ts';
import {validated} from '../../build/read/json-file.ts';
import {compile} from '../../build/read/validator.ts';
import {readUntrusted} from '../../buyer/verify/untrusted-json.ts';
import {decode, parse} from '../../shared/json-text.ts';
import {paths, PUBLIC, type DocumentName} from '../../shared/paths.ts';
import {readJson, type State} from './state.ts';

export type Documents = Readonly<Awaited<ReturnType<typeof readDocuments>>>;

/** The figures of a product at one freeze. */
export interface Point extends Json {
  readonly as_of: string;
}

const rows = {type: 'array', items: {type: 'object'}} as const;
const isObject = compile<Json>({type: 'object'});
const isPaid = compile<Json>({type: 'object', properties: {rows, events: rows}});
const point = {type: 'object', required: ['as_of'], properties: {as_of: {type: 'string'}}};
const isHistory = compile<{points: Point[]}>({
  type: 'object',
  required: ['points'],
  properties: {points: {type: 'array', minItems: 1, items: point}},
});

const NOTHING: Json = {};

/** Returns the path of a document, relative to the root. */
export function fileOf(document: DocumentName, name: string): string {
  return PUBLIC + paths[document](name);
}

/** Reads the published documents of a product. Throws `InputError` if one is missing or invalid. */
export async function readDocuments(state: State, name: string, withheld: boolean) {
  const read = <T>(document: DocumentName, validate: ValidateFunction<T>) =>
    readJson(state, fileOf(document, name), (file, bytes) => {
      const value = readUntrusted(file, bytes);
      // If the value is invalid, the text is parsed again with line numbers for the message.
      return validate(value) ? value : validated(parse({file}, decode({file}, bytes)), validate);
    });
  return {
    sample: await read('sample', isObject),
    paid: withheld ? NOTHING : await read('paid', isPaid),
    sampleSchema: await read('sampleSchema', isObject),
    paidSchema: await read('paidSchema', isObject),
    history: (await read('history', isHistory)).points,
  };
}
