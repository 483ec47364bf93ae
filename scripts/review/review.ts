import {InputError, describeFault} from '../../shared/fault.ts';
import {CATALOGUE_FILE, paths, PUBLIC} from '../../shared/paths.ts';
import {readSite, workingTreeState, type ComparedSite, type Sites} from './state.ts';
import {differing, leavesOf, joined} from './compare.ts';
import {fileOf} from './documents.ts';
import {findingsOf} from './findings.ts';
import {reviewProducts, type OnProducts} from './products.ts';
import type {Review, TextChange} from './report.ts';
import {openRepository, revisionState} from './revision.ts';
import {textChange} from './texts.ts';
import {say, type Words, listed, own} from './words.ts';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {pendingChanges} from '../../build/build.ts';
import {isUpToDate} from '../../build/write/changes.ts';
import {counted} from '../../shared/counted.ts';
import {cacheFolder} from '../build/cache-folder.ts';

export interface Options {
  readonly root: string;
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
  const state = await (head === undefined ? workingTreeState(root) : revisionState(repository, '--head', head));
  const after = await readSite(state);
  const {name} = after.state;
  if (!isBuilt(after)) {
    const rule = `does not exist: ${name} does not contain a built site`;
    const fix = 'Run `frozen build`, or name another site with `--root`.';
    throw new InputError({code: 'FZ404', file: CATALOGUE_FILE, rule, fix});
  }
  const sites = {before, after, withheld: lacksPaidDocuments(before) || lacksPaidDocuments(after)};
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

const FIRST: Words = say`before, nothing was built in this folder: everything is new, and no promise is checked`;
const KEPT_OUT: Words = say`the paid documents are not in the repository: their rows are not compared`;

function isBuilt({state}: ComparedSite): boolean {
  return state.ids.has(CATALOGUE_FILE);
}

/**
 * True if a revision contains none of its paid documents, as in a public repository. If only some are missing, or one is missing from the
 * working tree, that is an error.
 */
function lacksPaidDocuments({state: {place, ids}, catalogue: {products}}: ComparedSite): boolean {
  return place !== '' && products.length > 0 && products.every(({name}) => !ids.has(fileOf('paid', name)));
}

/** Compares title, address and payment of the site. */
function siteChanges({before, after}: Sites): TextChange[] {
  if (!isBuilt(before)) return [];
  const factsOf = ({catalogue: {title, base_url}, rules}: ComparedSite) =>
    leavesOf({title, base_url, payment: rules?.payment}, [], true);
  return differing(factsOf(before), factsOf(after)).map(textChange);
}

function ruleChanges({before, after}: Sites): Review['rules'] {
  const byName = ({rules}: ComparedSite) =>
    new Map(rules?.rules.map(({name, method, path, price}) => [keyOf(name, path), {method, path, price}]));
  return joined(byName(before), byName(after)).map(({key: name, status, before: was, after: is}) => ({
    name,
    status,
    path: {before: was?.path, after: is?.path},
    price: {before: was?.price, after: is?.price},
  }));
}

/** Returns the name of a product; for a part or another format, with the end of its path: `softfail3-europe.csv`. */
function keyOf(name: string, path: string): string {
  const edition = path.slice(paths.paid(name).length);
  return path.startsWith(paths.paid(name)) && /^[-.]/.test(edition) ? name + edition : name;
}

/** Returns the changed free files that belong to no product: pages, `serve.json`, … */
function fileChanges(sites: Sites): Review['files'] {
  const listed = [...sites.after.catalogue.files, ...sites.before.catalogue.files].map(({path}) => PUBLIC + path);
  const idsOf = ({state: {ids}}: ComparedSite) =>
    new Map(listed.flatMap(path => (ids.has(path) ? [[path, ids.get(path)]] : [])));
  return differing(idsOf(sites.before), idsOf(sites.after)).map(({key: path, status}) => ({path, status}));
}

const NAMED = 3;

/** Returns a message if the files on disk differ from a build of `data/`. Undefined if they do not, or without `data/`. */
async function staleness(root: string): Promise<Words | undefined> {
  if (!existsSync(join(root, 'data'))) return undefined;
  try {
    const changes = await pendingChanges({root, home: await cacheFolder({isRead: true})});
    if (isUpToDate(changes)) return undefined;
    const {added, changed, removed} = changes;
    const paths = [...changed, ...added, ...removed];
    return say`the build is stale: a build of data/ would change ${own(counted(paths.length, 'file'))} (${listed(paths, NAMED)}): run frozen build, then review again`;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [fault] = error.faults;
    return say`the build is stale: data/ cannot be built (${fault && describeFault(fault)}): run frozen build, correct the errors that it reports, then review again`;
  }
}
