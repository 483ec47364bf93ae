import {InputError} from '../../shared/fault.ts';
import {isBuilt, readSite, CATALOGUE, type Site} from './catalogue.ts';
import {findingsOf} from './findings.ts';
import {fileChanges, hostReviews, ruleChanges} from './hosts.ts';
import {KEPT_OUT, withoutKeptOut} from './kept-out.ts';
import {isScalar, leavesOf, type Leaf} from './leaves.ts';
import {reviewProducts, type OnProducts} from './products.ts';
import {openRepository, type Repository} from './repository.ts';
import type {Review, TextChange} from './report.ts';
import {revisionState} from './revision.ts';
import type {State} from './state.ts';
import {say, type Words} from './words.ts';
import {workingTreeState} from './working-tree.ts';

/** What is compared, and how much of it is shown. */
export interface Options {
  readonly root: string;
  /** A revision of git. */
  readonly base: string;
  /** A revision of git; the working tree without one. */
  readonly head: string | undefined;
  /** At most so many rows of each kind, and entries of lists; the rest is counted. */
  readonly rows: number;
  readonly onProducts?: OnProducts;
}

/** What buyers will see change between two states. Throws `InputError` where one of them cannot be read. */
export async function review({root, base, head, rows, onProducts = () => undefined}: Options): Promise<Review> {
  const repository = await openRepository(root);
  const was = await readSite(await revisionState(repository, '--base', base));
  const is = await readSite(
    head === undefined ? await workingTreeState(repository) : await revisionState(repository, '--head', head),
  );
  if (!isBuilt(is)) throw nothingBuilt(is.state);
  const [before, after] = withoutKeptOut([was, is]);
  const products = await reviewProducts(before, after, rows, onProducts);
  const found = {
    base: before.state.name,
    head: after.state.name,
    findings: findingsOf(before, after, products),
    site: siteChanges(before, after),
    products,
    rules: ruleChanges(before.rules, after.rules),
    hosts: hostReviews(before, after),
    files: fileChanges(before, after),
  };
  const isStale = head === undefined && isSame(before.state, after.state) && (await hasNewData(repository));
  const notes = [
    ...(isBuilt(before) ? [] : [FIRST]),
    ...(after.state.withheld ? [KEPT_OUT] : []),
    ...(isStale ? [STALE] : []),
  ];
  return {...found, notes};
}

const FIRST: Words = say`before, nothing was built: everything is new`;
const STALE: Words = say`data/ has changes that are not built yet: run npx frozen build, then review again`;

function nothingBuilt({name, place}: State): InputError {
  return new InputError({
    file: place + CATALOGUE,
    rule: `does not exist: ${name} holds no site; build it first, or name another --root`,
  });
}

/** Title, address and payment of the site. */
function siteChanges(base: Site, head: Site): TextChange[] {
  const [was, is] = [base, head].map(({catalogue: {title, base_url}, rules: {payment}}) =>
    leavesOf(flat({title, base_url, payment})),
  );
  const paths = [...new Set([...(is?.keys() ?? []), ...(was?.keys() ?? [])])];
  const text = (leaf: Leaf | undefined) =>
    leaf === undefined ? undefined : isScalar(leaf) ? String(leaf) : JSON.stringify(leaf);
  return paths
    .map(path => ({path, before: text(was?.get(path)), after: text(is?.get(path))}))
    .filter(change => change.before !== change.after && isBuilt(base));
}

/** Lists as objects, so that each of their entries is a leaf: `payment.accepts.0.pay_to`. */
function flat(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]: [string, unknown]) => [
      member,
      typeof inner === 'object' && inner !== null ? flat(inner) : inner,
    ]),
  );
}

function isSame(before: State, after: State): boolean {
  return before.ids.size === after.ids.size && [...after.ids].every(([path, id]) => before.ids.get(path) === id);
}

async function hasNewData({git}: Repository): Promise<boolean> {
  const {code, out} = await git(['status', '--porcelain', '-z', '--', 'data']);
  return code === 0 && out.length > 0;
}
