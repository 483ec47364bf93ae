import type {Check} from './check.ts';
import {recomputedFrom, Session, type CheckOptions} from './session.ts';
import {pinFrom} from './signature/pin.ts';
import {savedCatalogueIn} from './since/since-checks.ts';
import {siteChecks} from './site-checks.ts';
import {witnessesOf, type WitnessOptions} from './witness-checks.ts';

export interface SiteOptions extends CheckOptions, WitnessOptions {
  /** The folder of the site, whose `data/site.json` may name the key. */
  readonly root?: string | undefined;
  /** True if the host sells nothing, so that paid documents must be absent. */
  readonly freeOnly?: boolean | undefined;
  /** The file of a catalogue that was saved earlier. */
  readonly savedCatalogue?: string | undefined;
  /** Called before each product is checked. */
  readonly onProduct?: ((name: string, at: number, of: number) => void) | undefined;
}

/**
 * Verifies a site.
 *
 * @param target an origin, the folder `public/`, or the folder above it. Throws `InputError` if it is not a site
 */
export async function verifySite(target: string, options: SiteOptions = {}): Promise<Check[]> {
  const witnesses = await witnessesOf(options);
  const recomputed = await recomputedFrom(options);
  await using session = new Session(options);
  const {examiner, until} = session;
  const {savedCatalogue: file, freeOnly = false, onProduct} = options;
  const since = file === undefined ? undefined : await savedCatalogueIn(file, examiner);
  const pinOf = await pinFrom({...options, target, saved: since});
  using reader = await session.openSite(target);
  return await siteChecks(reader, {examiner, until, freeOnly, since, recomputed, pinOf, witnesses, onProduct});
}
