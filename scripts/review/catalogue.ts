import {SOURCE_NAME} from '../../shared/source-name.ts';
import {compile, type Accepted, type JsonSchema} from '../../build/read/validator.ts';
import type {FreezeChain} from '../../shared/chain.ts';
import {digest} from '../../shared/digest.ts';
import {InputError} from '../../shared/fault.ts';
import {CATALOGUE_FILE, RULES_FILE} from '../../shared/paths.ts';
import {readJson, type State} from './state.ts';

// The review also reads what older versions wrote, so it requires only the members that it uses, and does not check the form of texts.

const text = {type: 'string'} as const;
const name = {type: 'string', pattern: '^[a-z0-9]+$'} as const;
const editions = {...listOf(having({url: text, sha256: text})), default: []} as const;
const columns = {...listOf(having({name: text, type: {...text, default: ''}})), default: []} as const;
const paid = having({sha256: text});
const next = {type: 'integer', minimum: 0} as const;
const pass = {...having({next}), default: {next: 0}} as const;
const product = having({name, title: text, kind: text, as_of: text, price: text, paid, editions, columns, pass});
/** Messages contain these values, so only names, dates and digests are accepted. */
const date = {type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$'} as const;
const link = {
  type: 'object',
  required: ['date', 'as_of', 'descriptor'],
  properties: {date, as_of: text, descriptor: digest, previous: digest},
} as const;
const sourceName = {type: 'string', pattern: SOURCE_NAME} as const;
const sources = {...listOf(having({name: sourceName, freezes: listOf(link)})), default: []} as const;
/** An empty `kid` means that the site has no key. */
const signing = {...having({kid: text}), default: {kid: ''}} as const;
const catalogue = having({
  title: text,
  base_url: text,
  signing,
  products: listOf(product),
  files: listOf(having({path: text})),
  sources,
});
const lists = {type: 'object', additionalProperties: listOf(text)} as const;
const rule = having({name: text, method: text, path: text, price: text});
const rules = having({
  payment: having({}),
  rules: listOf({...rule, properties: {...rule.properties, snapshots: lists}}),
});

/** Returns the schema of an object with these members and possibly others. */
function having<const P extends JsonSchema>(properties: P) {
  return {type: 'object', required: Object.keys(properties) as (keyof P)[], properties} as const;
}

function listOf<const I extends JsonSchema>(items: I) {
  return {type: 'array', items} as const;
}

export type Catalogue = Omit<Accepted<typeof catalogue>, 'sources'> & {readonly sources: readonly FreezeChain[]};
type Lists = Readonly<Record<string, readonly string[]>>;
export interface Rules {
  readonly payment: object;
  readonly rules: readonly (Accepted<typeof rule> & {readonly snapshots?: Lists | undefined})[];
  readonly hosts: Lists;
}

const isCatalogue = compile<Catalogue>(catalogue);
const isRules = compile<Rules>({...rules, properties: {...rules.properties, hosts: {...lists, default: {}}}});

/** A revision with its catalogue and rules. */
export interface Site {
  readonly state: State;
  readonly catalogue: Catalogue;
  /** Undefined if they are unknown, because a live site does not publish them. */
  readonly rules: Rules | undefined;
}

/** The two revisions to compare. */
export interface Sites {
  readonly before: Site;
  readonly after: Site;
  /** True if paid documents are not compared, because a revision does not contain them. */
  readonly withheld: boolean;
}

/** Returns a site with a catalogue that was read elsewhere. Throws `InputError` if it lacks a member that a review needs. */
export function siteOf(state: State, catalogue: unknown, rules?: Rules): Site {
  const completed = structuredClone(catalogue);
  if (!isCatalogue(completed))
    throw new InputError({code: 'FZ619', file: CATALOGUE_FILE, rule: `${state.place}cannot be compared`});
  return {state, catalogue: completed, rules};
}

/** Reads catalogue and rules. A revision before the first build has neither and sells nothing. Throws `InputError` if a file is invalid. */
export async function readSite(state: State): Promise<Site> {
  if (!state.ids.has(CATALOGUE_FILE) && !state.ids.has(RULES_FILE))
    return {
      state,
      catalogue: {title: '', base_url: '', signing: {kid: ''}, products: [], files: [], sources: []},
      rules: {payment: {}, rules: [], hosts: {}},
    };
  const catalogue = await readJson(state, CATALOGUE_FILE, isCatalogue);
  return {state, catalogue, rules: await readJson(state, RULES_FILE, isRules)};
}
