import {compile, type JsonSchema} from '../../build/read/validator.ts';
import {RULES_FILE} from '../../shared/paths.ts';
import {paths} from '../../shared/paths.ts';
import {readJson, type State} from './state.ts';

/** What the review reads of `index.json`, the catalogue. */
export interface Catalogue {
  readonly title: string;
  readonly base_url: string;
  readonly products: readonly Entry[];
  readonly files: readonly {readonly path: string}[];
}

/** What the catalogue says of one product. */
export interface Entry {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly as_of: string;
  readonly price: string;
  readonly paid: {readonly sha256: string};
}

/** What the review reads of `rules.json`. */
export interface Rules {
  readonly payment: object;
  readonly rules: readonly {
    readonly name: string;
    readonly method: string;
    readonly path: string;
    readonly price: string;
  }[];
  /** Rule files by host. */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
}

/** A state and what it says about itself. */
export interface Site {
  readonly state: State;
  readonly catalogue: Catalogue;
  readonly rules: Rules;
}

export const CATALOGUE = `public${paths.catalogue}`;

const text = {type: 'string'} as const;

/** An object that has these members, and may have others. */
function having(properties: Record<string, JsonSchema>): JsonSchema {
  return {type: 'object', required: Object.keys(properties), properties};
}

function listOf(items: JsonSchema): JsonSchema {
  return {type: 'array', items};
}

const name = {type: 'string', pattern: '^[a-z0-9]+$'};
const entry = having({name, title: text, kind: text, as_of: text, price: text, paid: having({sha256: text})});
const isCatalogue = compile<Catalogue>(
  having({title: text, base_url: text, products: listOf(entry), files: listOf(having({path: text}))}),
);
const isRules = compile<Rules>({
  type: 'object',
  required: ['payment', 'rules'],
  properties: {
    payment: {type: 'object'},
    rules: listOf(having({name: text, method: text, path: text, price: text})),
    hosts: {type: 'object', default: {}, additionalProperties: listOf(text)},
  },
});

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
