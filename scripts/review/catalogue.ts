import {InputError} from '../../shared/fault.ts';
import {fieldName} from '../../shared/json-text.ts';
import {CATALOGUE_FILE, RULES_FILE} from '../../shared/paths.ts';
import {shaped} from '../../shared/shaped.ts';
import {rulesSchema, type Catalogue, type Rules} from '../../shared/shapes.ts';
import {readCatalogue} from '../../buyer/verify/catalogue.ts';
import {readUntrusted} from '../../buyer/verify/untrusted-json.ts';
import {readJson, type State} from './state.ts';

/** A revision with its catalogue and rules. */
export interface Site {
  readonly state: State;
  readonly catalogue: Pick<Catalogue, 'title' | 'base_url' | 'signing' | 'products' | 'files' | 'sources'>;
  /** Undefined if nothing is built yet, and for a live site, which does not publish them. */
  readonly rules: Rules | undefined;
}

/** The two revisions to compare. */
export interface Sites {
  readonly before: Site;
  readonly after: Site;
  /** True if paid documents are not compared, because a revision does not contain them. */
  readonly withheld: boolean;
}

/** Reads catalogue and rules. A revision before the first build has neither and sells nothing. Throws `InputError` if a file is invalid. */
export async function readSite(state: State): Promise<Site> {
  if (!state.ids.has(CATALOGUE_FILE) && !state.ids.has(RULES_FILE))
    return {state, catalogue: {title: '', base_url: '', products: [], files: []}, rules: undefined};
  const catalogue = await readJson(state, CATALOGUE_FILE, readCatalogue);
  return {state, catalogue, rules: await readJson(state, RULES_FILE, readRules)};
}

function readRules(file: string, bytes: Uint8Array): Rules {
  const read = shaped(rulesSchema, readUntrusted(file, bytes));
  if ('value' in read) return read.value;
  throw new InputError(read.misfits.map(({path, rule}) => ({code: 'FZ404', file, field: fieldName(path), rule})));
}
