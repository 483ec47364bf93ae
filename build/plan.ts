import {join} from 'node:path';
import {all} from '../shared/fault.ts';
import {SITE_FILE, WRANGLER_FILE} from '../shared/paths.ts';
import {knownInput} from './disk/known-file.ts';
import {reading} from './disk/plain-file.ts';
import {inOrder} from './documents/record.ts';
import {namesIn} from './load-folder.ts';
import type {KnownUnit, Memory, Outcome} from './memory.ts';
import {readChanged} from './products/units.ts';
import {chainsIn} from './read/freezes.ts';
import {located} from './read/json-file.ts';
import {productFiles} from './read/listing.ts';
import {readProofs} from './read/proofs.ts';
import {readSite} from './read/site.ts';
import {composeBundles} from './site/bundles.ts';
import {pluginsOf, composeSite, type SiteFiles} from './site/site-files.ts';
import {refuseOtherWorker} from './hosts/cloudflare.ts';
import {composeUnits, type Composing} from './source/compose-units.ts';
import type {TreeFile} from './write/stage.ts';

/** The inputs of a plan. */
export interface Source extends Composing {
  /** The unchanged units, which are not composed again. */
  readonly memory?: Memory | undefined;
}

/** Everything that a build would write, checked and staged. */
export interface Plan extends SiteFiles {
  readonly tree: readonly TreeFile[];
  /** The result to store in the build memory. */
  readonly outcome: Outcome;
}

/** Runs all steps of a build except writing to the output. Throws `InputError` with all errors. */
export function plan(source: Source): Promise<Plan> {
  return located(source.root, () => reading(source.root, () => planned(source)));
}

async function planned({root, memory, moment = Infinity, output, progress}: Source): Promise<Plan> {
  const siteFile = knownInput(root, SITE_FILE, moment);
  const remembered = memory?.units() ?? new Map<string, KnownUnit>();
  const [site, {rounds, bundles, files, known}] = await all(
    async () => readSite(root, await namesIn('hosts')),
    async () => readChanged(root, productFiles(root), remembered, moment),
  );
  const composed = await composeUnits({root, moment, output, progress}, site, rounds, bundles);
  const units = [...known.values(), ...composed.values()];
  const ofUnits = units.flatMap(({records}) => records);
  const ofBundles = await composeBundles(bundles, {root, site, records: ofUnits, units: composed}, output);
  const records = [...ofUnits, ...ofBundles.records].sort(inOrder);
  const chains = chainsIn(units);
  const {witnessed, proofs} = await readProofs(root, chains, moment);
  refuseOtherWorker(join(root, WRANGLER_FILE), site);
  const ofSite = await composeSite(site, records, {chains, witnessed}, await pluginsOf(site), output);
  const siteFiles = {...ofSite, written: [...ofBundles.written, ...ofSite.written]};
  const inputs = {inputs: [siteFile, ...files], bundles: bundles.map(({product}) => product.file), proofs};
  const outcome = {...inputs, composed, known: [...known.keys()], siteFiles};
  return {...siteFiles, tree: [...units, siteFiles].flatMap(({written}) => written), outcome};
}
