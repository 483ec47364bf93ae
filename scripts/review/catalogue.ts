import {compile, type JsonSchema} from '../../build/read/validator.ts';
import type * as shape from '../../shared/shapes.ts';
import {paths, PUBLIC, RULES_FILE} from '../../shared/paths.ts';
import type {Rule, Rules as AllRules} from '../../shared/shapes.ts';
import {readJson, type State} from './state.ts';

// The review reads what older versions wrote: of the shapes it asks for the members that it needs, and for no form of their texts.

/** What the review reads of the catalogue. */
export interface Catalogue extends Pick<shape.Catalogue, 'title' | 'base_url'> {
  readonly products: readonly Entry[];
  readonly files: readonly ListedFile[];
}

/** What the catalogue says of one product. */
export interface Entry extends Readonly<Pick<shape.Entry, 'name' | 'title' | 'kind' | 'as_of' | 'price'>> {
  readonly paid: Sold;
}

type Sold = Pick<shape.ListedDocument, 'sha256'>;
type ListedFile = Pick<shape.ListedFile, 'path'>;

/** What the review reads of the rules. */
export interface Rules extends Pick<AllRules, 'hosts'> {
  readonly payment: object;
  readonly rules: readonly SomeRule[];
}

interface SomeRule extends Pick<Rule, 'name' | 'path' | 'price'> {
  readonly method: string;
}

/** A state and what it says about itself. */
export interface Site {
  readonly state: State;
  readonly catalogue: Catalogue;
  readonly rules: Rules;
}

export const CATALOGUE = PUBLIC + paths.catalogue;

const text = {type: 'string'} as const;
const name = {type: 'string', pattern: '^[a-z0-9]+$'};

const isCatalogue = compile<Catalogue>(
  having<Catalogue>({
    title: text,
    base_url: text,
    products: listOf(
      having<Entry>({name, title: text, kind: text, as_of: text, price: text, paid: having<Sold>({sha256: text})}),
    ),
    files: listOf(having<ListedFile>({path: text})),
  }),
);
const isRules = compile<Rules>({
  type: 'object',
  required: ['payment', 'rules'],
  properties: {
    payment: {type: 'object'},
    rules: listOf(having<SomeRule>({name: text, method: text, path: text, price: text})),
    hosts: {type: 'object', default: {}, additionalProperties: listOf(text)},
  } satisfies Record<keyof Rules, JsonSchema>,
});

/** An object that has the members of `T`, and may have others. */
function having<T>(properties: Readonly<Record<keyof T, JsonSchema>>): JsonSchema {
  return {type: 'object', required: Object.keys(properties), properties};
}

function listOf(items: JsonSchema): JsonSchema {
  return {type: 'array', items};
}

/** Reads catalogue and rules; a state before the first build has neither and sells nothing. Throws `InputError` where one is broken. */
export async function readSite(state: State): Promise<Site> {
  const none = !state.ids.has(CATALOGUE) && !state.ids.has(RULES_FILE);
  if (none)
    return {
      state,
      catalogue: {title: '', base_url: '', products: [], files: []},
      rules: {payment: {}, rules: [], hosts: {}},
    };
  const catalogue = await readJson(state, CATALOGUE, isCatalogue);
  return {state, catalogue, rules: await readJson(state, RULES_FILE, isRules)};
}

/** Whether the state holds a site at all. */
export function isBuilt({state}: Site): boolean {
  return state.ids.has(CATALOGUE);
}
