import type {Kept} from './cache/kept.ts';
import {dearPrices} from './notes/dear-prices.ts';
import {givenAway} from './notes/given-away.ts';
import {invariantFaults} from './documents/invariants.ts';
import {sizeFaults} from './documents/size.ts';
import {unread} from './notes/unread.ts';
import {withoutGoods} from './notes/without-goods.ts';
import {composedOf, documentsOf, keepDocuments, type Made, type ProductDocuments} from './documents/documents.ts';
import {Files, type OnFile} from './compose/files.ts';
import {fingerprintOf, type Text} from './documents/text.ts';
import {treeOf, type Tree} from './compose/tree.ts';
import {compute, type Computed} from './compute/compute.ts';
import type {Kind, Product} from './kinds/kind.ts';
import {all, refuse} from '../shared/fault.ts';
import type {Host} from './hosts/host.ts';
import {loadFolder, namesIn} from './load-folder.ts';
import type {Page} from './pages/page.ts';
import type {OnBytes} from './read/digest.ts';
import type {Freeze} from './read/freezes.ts';
import {located} from './read/located.ts';
import {readProducts} from './products/products.ts';
import {readSite, type Site} from './read/site.ts';
import {openDatabase, type Database} from './rows/database.ts';
import {reading} from './disk/system-fault.ts';

/** What is computed from. */
export interface Source {
  /** The folder that holds `data/`, `public/` and `paywall/rules/`. */
  readonly root: string;
  /** Told of every freeze before its rows are read. */
  readonly onFreeze?: (freeze: Freeze) => OnBytes;
  /** Takes every file as soon as it is composed and checked. */
  readonly onFile?: OnFile;
  /** Products that need not be computed anew. */
  readonly kept?: Kept | undefined;
  /** Told of every file of theirs. */
  readonly onKept?: (path: string) => void;
}

/** Everything that a build would write, checked. */
export interface Planned {
  readonly made: Made;
  readonly tree: Tree;
  readonly notes: readonly string[];
}

/** The build without its last step. Throws `InputError` with everything that is wrong. */
export async function plan(source: Source): Promise<Planned> {
  return located(source.root, () => reading(source.root, () => planned(source)));
}

async function planned(source: Source): Promise<Planned> {
  const {
    root,
    onFreeze = () => () => undefined,
    onFile = (_: string, text: Text) => fingerprintOf(text),
    kept,
    onKept = () => undefined,
  } = source;
  const kinds = await loadFolder<Kind>('kinds');
  const [site, products] = await readInputs(root, kinds, kept?.products);
  return withDatabase(root, async database => {
    const inputs = {root, kinds, onFreeze, database};
    const files = new Files(onFile, {onKept, formerOf: path => kept?.formerOf(path)});
    const documents = (one: Computed) => checkedDocuments(site, one, files);
    const {made, recalled} = await compute(inputs, products, documents, async plan => kept?.find(site, plan));
    kept?.close();
    for (const documents of recalled) keepDocuments(documents, files);
    const composers = await Promise.all([loadFolder<Host>('hosts'), loadFolder<Page>('pages')]);
    const planned = await composed(site, made, files, composers);
    return {...planned, notes: [...unread(root), ...planned.notes]};
  });
}

/** The modules that make files of what was computed. */
type Composers = readonly [hosts: ReadonlyMap<string, Host>, pages: ReadonlyMap<string, Page>];

/** Everything that is written. Throws `InputError` where a host does not take it. */
async function composed(
  site: Site,
  products: readonly ProductDocuments[],
  files: Files,
  [hosts, pages]: Composers,
): Promise<Planned> {
  const computed = products.map(one => one.computed);
  const sold = computed.map(({product}) => product);
  const chosen = site.hosts.map(name => hosts.get(name)).filter(host => host !== undefined);
  const tree = await treeOf(site, products, chosen, [...pages.values()], files);
  refuse(sizeFaults(tree, sold));
  return {
    made: {site, products, places: files.places},
    tree,
    notes: [...dearPrices(sold), ...givenAway(products), ...withoutGoods(products), ...tree.notes],
  };
}

/** The documents of a product. Throws `InputError` where any of them breaks its schema or an invariant. */
function checkedDocuments(site: Site, computed: Computed, files: Files): ProductDocuments {
  const composed = composedOf(site, computed);
  refuse(invariantFaults(site, composed));
  return documentsOf(composed, files);
}

/** Site and products; the faults of both are told at once. */
async function readInputs(
  root: string,
  kinds: ReadonlyMap<string, Kind>,
  known: readonly Product[] | undefined,
): Promise<[Site, readonly Product[]]> {
  return all(
    async () => readSite(root, await namesIn('hosts')),
    async () => known ?? readProducts(root, kinds),
  );
}

/** Opens the database when it is first asked for, and closes it. */
async function withDatabase<T>(root: string, use: (database: () => Promise<Database>) => Promise<T>): Promise<T> {
  let opened: Promise<Database> | undefined;
  try {
    return await use(() => (opened ??= openDatabase(root)));
  } finally {
    (await opened)?.close();
  }
}
