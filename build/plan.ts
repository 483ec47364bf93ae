import {join} from 'node:path';
import {all} from '../shared/fault.ts';
import {SITE_FILE, WRANGLER_FILE} from '../shared/paths.ts';
import {knownInput} from './disk/known-file.ts';
import {reading} from './disk/plain-file.ts';
import {inOrder} from './documents/record.ts';
import {namesIn} from './load-folder.ts';
import type {CachedGroup, BuildCache, Outcome} from './cache.ts';
import {readChanged} from './products/source-groups.ts';
import {chainsIn} from './read/freezes.ts';
import {located} from './read/json-file.ts';
import {productFiles} from './read/listing.ts';
import {readProofs} from './read/proofs.ts';
import {readSite} from './read/site.ts';
import {composeBundles} from './site/bundles.ts';
import {pluginsOf, composeSite, type SiteFiles} from './site/site-files.ts';
import {refuseOtherWorker} from './hosts/cloudflare.ts';
import {composeGroups, type Composing} from './source/compose-groups.ts';
import type {TreeFile} from './write/stage.ts';

/** The inputs of a build. */
export interface BuildInput extends Composing {
  /** The unchanged source groups, which are not composed again. */
  readonly cache?: BuildCache | undefined;
}

/** Everything that a build would write. It is checked, and `output` has received it. */
export interface Plan extends SiteFiles {
  readonly tree: readonly TreeFile[];
  /** The result to store in the cache. */
  readonly outcome: Outcome;
}

/** Runs all steps of a build except writing to the output. Throws `InputError` with all errors. */
export function plan(input: BuildInput): Promise<Plan> {
  return located(input.root, () => reading(input.root, () => planned(input)));
}

async function planned({root, cache, output, progress}: BuildInput): Promise<Plan> {
  const siteFile = knownInput(root, SITE_FILE);
  const cached = cache?.groups() ?? new Map<string, CachedGroup>();
  const [site, {rounds, bundles, files, known}] = await all(
    async () => readSite(root, await namesIn('hosts')),
    async () => readChanged(root, productFiles(root), cached),
  );
  const composed = await composeGroups({root, output, progress}, site, rounds, bundles);
  const groups = [...known.values(), ...composed.values()];
  const ofGroups = groups.flatMap(({records}) => records);
  const ofBundles = await composeBundles(bundles, {root, site, records: ofGroups, groups: composed}, output);
  const records = [...ofGroups, ...ofBundles.records].sort(inOrder);
  const chains = chainsIn(groups);
  const witnessed = await readProofs(root, chains);
  refuseOtherWorker(join(root, WRANGLER_FILE), site);
  const ofSite = await composeSite(site, records, {chains, witnessed}, await pluginsOf(site), output);
  const siteFiles = {...ofSite, written: [...ofBundles.written, ...ofSite.written]};
  const inputs = {inputs: [siteFile, ...files], bundles: bundles.map(({product}) => product.file), witnessed};
  const outcome = {...inputs, composed, known: [...known.keys()], siteFiles};
  return {...siteFiles, tree: [...groups, siteFiles].flatMap(({written}) => written), outcome};
}
