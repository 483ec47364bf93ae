import type {ValidateFunction} from 'ajv';
import {InputError} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import {compile, type JsonSchema} from '../../build/read/validator.ts';
import {readJson, type State} from './state.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Everything that is published of one product. */
export interface Documents {
  readonly sample: Json;
  readonly paid: Json;
  readonly schemas: {readonly sample: JsonSchema; readonly paid: JsonSchema};
  readonly history: readonly Point[];
}

/** The figures of a product at one freeze. */
export interface Point extends Json {
  readonly as_of: string;
}

const rows = {type: 'array', items: {type: 'object'}} as const;
const isObject = compile<Json>({type: 'object'});
const isPaid = compile<Json>({type: 'object', properties: {rows, events: rows}});
const isHistory = compile<{points: Point[]}>({
  type: 'object',
  required: ['points'],
  properties: {
    points: {type: 'array', items: {type: 'object', required: ['as_of'], properties: {as_of: {type: 'string'}}}},
  },
});

/** The files of a product's documents that are compared, by path from the root. */
export function filesOf({withheld}: State, name: string): string[] {
  const free = [paths.sample, paths.sampleSchema, paths.paidSchema, paths.history];
  return (withheld ? free : [paths.paid, ...free]).map(of => `public${of(name)}`);
}

/** Reads the documents of a product. Throws `InputError` where one is missing or broken. */
export async function readDocuments(state: State, name: string): Promise<Documents> {
  const read = <T>(path: string, validate: ValidateFunction<T>) => readJson(state, `public${path}`, validate);
  const {points} = await read(paths.history(name), isHistory);
  if (points.length === 0)
    throw new InputError({file: `${state.place}public${paths.history(name)}`, rule: 'has no points'});
  return {
    sample: await read(paths.sample(name), isObject),
    paid: state.withheld ? {} : await read(paths.paid(name), isPaid),
    schemas: {
      sample: await read(paths.sampleSchema(name), isObject),
      paid: await read(paths.paidSchema(name), isObject),
    },
    history: points,
  };
}
