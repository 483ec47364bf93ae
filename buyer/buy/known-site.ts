import {InputError} from '../../shared/fault.ts';
import {leadsTo} from '../../shared/next-key.ts';
import {KEYS, paths} from '../../shared/paths.ts';
import type {Examiner} from '../verify/examiner.ts';
import {keysIn, MOST_JWKS_BYTES, isPinned, type Pin} from '../verify/signature/pin.ts';
import {askerOf} from './ask.ts';
import {Seen} from './seen.ts';
import {openSite, readFree, type LiveSite} from './site.ts';

/** How a buyer connects to a site and recognises it. */
interface Known {
  /** The buyer's folder, which remembers the keys of sites. */
  readonly folder: string;
  readonly fetch: typeof fetch;
  /** The key that must have signed, if the buyer names one. It takes precedence over the remembered key. */
  readonly siteKey: string | undefined;
}

/**
 * Opens a site for a buyer; all tools and commands use this function. Throws `InputError` if the site no longer has a key, or has one that
 * is neither the known key nor signed by it. A site without a known key is trusted.
 */
export async function openKnown(
  origin: string,
  {folder, fetch, siteKey}: Known,
  examiner: Examiner,
): Promise<LiveSite> {
  const site = await openSite(origin, askerOf(origin, fetch), examiner);
  const {signing, file} = await Seen.read(folder, origin);
  if (siteKey !== undefined) await refuseUnknownKey(site, {key: siteKey, by: '--site-key is'});
  else if (signing) await refuseUnknownKey(site, {key: signing.kid, by: `${file} remembers`});
  return site;
}

/** Throws `InputError` if a site signs with a key that is neither the known key nor signed by it. */
async function refuseUnknownKey(site: LiveSite, pin: Pin): Promise<void> {
  const {origin, catalogue} = site;
  const {signing: key} = catalogue;
  if (key && isPinned(pin, key)) return;
  const refuse = (rule: string, fix?: string) =>
    new InputError({code: 'FZ613', url: origin + paths.catalogue, rule: `${rule}. Nothing was paid`, fix});
  if (!key) throw refuse(`names no key, but ${pin.by} ${pin.key}`);
  const {path} = KEYS.jwks;
  const keys = await keysIn(await readFree(site, path, MOST_JWKS_BYTES), {url: origin + path});
  const before = keys.find(one => isPinned(pin, one));
  if (before && (await leadsTo(before, key, keys))) return;
  throw refuse(
    `is signed by the key ${key.kid}, but ${pin.by} ${pin.key}, which has not signed it as the next key`,
    'Ask the publisher for the right key, and pass it with --site-key.',
  );
}
