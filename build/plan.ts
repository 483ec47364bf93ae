import type {Chain} from '../shared/chain.ts';
import {all, InputError, refuse} from '../shared/fault.ts';
import {SITE_FILE} from '../shared/paths.ts';
import {isSameInput, knownInput, type KnownFile} from './disk/known-file.ts';
import {reading} from './disk/system-fault.ts';
import {catalogueText} from './documents/catalogue.ts';
import type {ProductRecord} from './documents/record.ts';
import type {Host} from './hosts/host.ts';
import type {Kind} from './kinds/kind.ts';
import {loadFolder, namesIn} from './load-folder.ts';
import type {KnownUnit, Outcome, Memory} from './memory.ts';
import type {Page} from './pages/page.ts';
import {askableProducts} from './products/askable.ts';
import {readChanged} from './products/changed.ts';
import {productFiles} from './read/listing.ts';
import {unitsOf} from './products/units.ts';
import {located} from './read/json-file.ts';
import {readProofs} from './read/proofs.ts';
import {readSite, type Site} from './read/site.ts';
import {composeBundles} from './site/bundles.ts';
import {refuseOtherWorker} from './site/worker-name.ts';
import {composeSite, type Makers, type SiteFiles} from './site/site-files.ts';
import type {SourceResult} from './source/compose-source.ts';
import {composeUnits, type Composing} from './source/compose-units.ts';
import type {Written} from './write/stage.ts';

/** What a site is computed from, and how. */
export interface Source extends Composing {
  /** What need not be composed again. */
  readonly memory?: Memory | undefined;
}

/** Everything that a build would write, checked and handed to the output. */
export interface Plan extends SiteFiles {
  /** Every file of the tree. */
  readonly tree: readonly Written[];
  /** The text of the catalogue of a state in which only these files stand as they will. */
  readonly catalogueOf: (standing: ReadonlySet<string>) => string;
  /** What there is to remember. */
  readonly outcome: Outcome;
}

/** The build without its last step. Throws `InputError` with everything that is wrong. */
export async function plan(source: Source): Promise<Plan> {
  return located(source.root, () => reading(source.root, () => planned(source)));
}

async function planned(source: Source): Promise<Plan> {
  const {root, memory, moment = Infinity, output} = source;
  const siteFile = knownInput(root, SITE_FILE, moment);
  const inputs = all(
    async () => readSite(root, await namesIn('hosts')),
    async () => readChanged(root, productFiles(root), memory?.units() ?? new Map<string, KnownUnit>(), moment),
  );
  const [site, {rounds, bundles, files, known}] = await inputs.catch(async (error: unknown) => {
    throw await withFurtherFaults(source, error);
  });
  const names = new Set(bundles.flatMap(bundle => bundle.names));
  const composed = await composeUnits(source, site, {rounds, held: names});
  refuseFaults(root, [...composed.values()]);

  const ofSources = [...known.values(), ...composed.values()].flatMap(({records}) => records);
  const held = new Map([...composed.values()].flatMap(result => [...result.held]));
  const made = await composeBundles(bundles, {root, site, records: ofSources, held}, output);
  const records = [...ofSources, ...made.records].sort(inOrder);
  const chains = chainsIn([...known.values(), ...composed.values()]);
  const proofs: KnownFile[] = [];
  const sources = chains.map(({name}) => name);
  const witnessed = await readProofs(root, sources, path => proofs.push(knownInput(root, path, moment)));
  const proved = {chains, witnessed};
  refuseOtherWorker(root, site);
  const ofSite = await composeSite(site, records, proved, await makersOf(site), output);
  const siteFiles = {...ofSite, written: [...made.written, ...ofSite.written]};
  const tree = [...known.values(), ...composed.values(), siteFiles].flatMap(({written}) => written);
  return {
    ...siteFiles,
    tree,
    catalogueOf: standing => catalogueText(site, records, proved, siteFiles.listed, standing),
    outcome: {
      inputs: [siteFile, ...files],
      composed,
      known: [...known.keys()],
      bundles: bundles.map(({product}) => product.file),
      proofs,
      siteFiles,
    },
  };
}

/** Adds to the faults of product files those that only show when the products are asked of their sources. */
async function withFurtherFaults(source: Source, error: unknown): Promise<unknown> {
  if (!(error instanceof InputError) || error.final) return error;
  const {faults} = error;
  if (faults.some(({file}) => file === SITE_FILE)) return error;
  const kinds = await loadFolder<Kind>('kinds');
  const products = askableProducts(source.root, [...new Set(faults.map(({file}) => file))], kinds);
  const site = await readSite(source.root, await namesIn('hosts'));
  const results = [...(await composeUnits(source, site, {rounds: unitsOf(products, kinds)})).values()].filter(
    ({final}) => !final,
  );
  return InputError.merged([error, ...results]);
}

/** Throws `InputError` with the faults of all units; with those after which nothing could be looked for only where there are no others. */
function refuseFaults(root: string, results: readonly SourceResult[]): void {
  const broken = results.filter(({faults}) => faults.length > 0);
  const told = broken.some(({final}) => !final) ? broken.filter(({final}) => !final) : broken.slice(0, 1);
  if (told.length > 0) throw InputError.merged(told);
  const read = results.flatMap(result => result.read);
  refuse(
    read.filter(file => !isSameInput(root, file)).map(({path}) => ({file: path, rule: 'changed while it was read'})),
  );
}

/** By the number that products give, those without one last; then by name, by code unit. */
function inOrder(a: ProductRecord, b: ProductRecord): number {
  const [first = Infinity, second = Infinity] = [a.order, b.order];
  if (first !== second) return first < second ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** Each chain once, by the name of its source: several units may read it. */
function chainsIn(results: readonly Pick<SourceResult, 'chains'>[]): Chain[] {
  const chains = new Map(results.flatMap(({chains}) => chains).map(chain => [chain.name, chain]));
  return [...chains.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The modules that make files of records: the hosts that the site names, or all. */
async function makersOf({hosts: names}: Site): Promise<Makers> {
  const [hosts, pages] = await Promise.all([loadFolder<Host>('hosts'), loadFolder<Page>('pages')]);
  const chosen = names?.flatMap(name => hosts.get(name) ?? []);
  return {hosts: chosen ?? [...hosts.values()], areHostsChosen: chosen !== undefined, pages: [...pages.values()]};
}
