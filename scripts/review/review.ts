import {InputError} from '../../shared/fault.ts';
import {CATALOGUE_FILE} from '../../shared/paths.ts';
import {readSite, type Site, type Sites} from './catalogue.ts';
import {differing, leavesOf} from './compare.ts';
import {fileOf} from './documents.ts';
import {findingsOf} from './findings.ts';
import {fileChanges, ruleChanges} from './rules.ts';
import {reviewProducts, type OnProducts} from './products.ts';
import {openRepository} from './repository.ts';
import type {Review, TextChange} from './report.ts';
import {revisionState} from './revision.ts';
import {staleness} from './stale.ts';
import {textChange} from './texts.ts';
import {say, type Words} from './words.ts';
import {workingTreeState} from './working-tree.ts';

/** The input of a review. */
export interface Options {
  readonly root: string;
  /** A git revision. */
  readonly base: string;
  /** A git revision; undefined for the working tree. */
  readonly head: string | undefined;
  /** The maximum number of shown rows of each kind, and of list entries. The others are counted. */
  readonly rows: number;
  readonly onProducts?: OnProducts;
}

/** Compares two revisions as buyers see them. Throws `InputError` if one of them cannot be read. */
export async function review({root, base, head, rows, onProducts = () => undefined}: Options): Promise<Review> {
  using repository = await openRepository(root);
  const before = await readSite(await revisionState(repository, '--base', base));
  const after = await readSite(
    head === undefined ? await workingTreeState(root, before.state) : await revisionState(repository, '--head', head),
  );
  const {name, place} = after.state;
  if (!isBuilt(after))
    throw new InputError({
      code: 'FZ404',
      file: place + CATALOGUE_FILE,
      rule: `does not exist: ${name} holds no site; build it first, or name another --root`,
    });
  const sites = {before, after, withheld: keepsOut(before) || keepsOut(after)};
  const products = await reviewProducts(sites, rows, onProducts);
  const stale = head === undefined ? await staleness(root) : undefined;
  return {
    stale,
    base: before.state.name,
    head: name,
    findings: findingsOf(sites, products),
    site: siteChanges(sites),
    products,
    rules: ruleChanges(sites),
    files: fileChanges(sites),
    notes: [...(isBuilt(before) ? [] : [FIRST]), ...(sites.withheld ? [KEPT_OUT] : [])],
  };
}

const FIRST: Words = say`before, nothing was built: everything is new`;
const KEPT_OUT: Words = say`the paid documents are not in the repository: their rows are not compared`;

function isBuilt({state}: Site): boolean {
  return state.ids.has(CATALOGUE_FILE);
}

/**
 * True if a revision contains none of its paid documents, as in a public repository. If only some are missing, or one is missing from the
 * working tree, that is an error.
 */
function keepsOut({state: {place, ids}, catalogue: {products}}: Site): boolean {
  return place !== '' && products.length > 0 && products.every(({name}) => !ids.has(fileOf('paid', name)));
}

/** Compares title, address and payment of the site. */
function siteChanges({before, after}: Sites): TextChange[] {
  if (!isBuilt(before)) return [];
  const factsOf = ({catalogue: {title, base_url}, rules: {payment}}: Site) =>
    leavesOf({title, base_url, payment}, [], true);
  return differing(factsOf(before), factsOf(after)).map(textChange);
}
