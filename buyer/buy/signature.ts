import {MOST_SIGNATURE_BYTES, signatureFault, textOf} from '../../shared/detached-signature.ts';
import {InputError} from '../../shared/fault.ts';
import {leadsTo} from '../../shared/next-key.ts';
import {KEYS, paths} from '../../shared/paths.ts';
import {kidFault} from '../../shared/signing-key.ts';
import {keysIn, MOST_JWKS_BYTES} from '../verify/signature/jwks.ts';
import {isPinned} from '../verify/signature/pin.ts';
import {readFree, type Site} from './site.ts';

/** Throws `InputError` if a catalogue names a key but is not signed by it. */
export async function refuseUnsigned(
  site: Pick<Site, 'origin' | 'ask' | 'catalogue'>,
  bytes: Uint8Array,
): Promise<void> {
  const {signing: key} = site.catalogue;
  if (!key) return;
  const refuse = (path: string, rule: string) => new InputError({code: 'FZ618', file: site.origin + path, rule});
  const named = await kidFault(key);
  if (named !== undefined) throw refuse(paths.catalogue, named);
  const signature = await readFree(site, paths.signature, MOST_SIGNATURE_BYTES);
  const fault = await signatureFault(textOf(signature), bytes, key);
  if (fault !== undefined) throw refuse(paths.signature, fault);
}

/**
 * Throws `InputError` if a site signs with a key that is neither the known key (its `kid` or `x`) nor signed by it.
 *
 * @param by where the known key comes from, as the beginning of a sentence
 */
export async function refuseUnknownKey(site: Site, known: string, by: string): Promise<void> {
  const {origin, catalogue} = site;
  const {signing: key} = catalogue;
  if (key && isPinned({key: known, by}, key)) return;
  const refuse = (path: string, rule: string, fix?: string) =>
    new InputError({code: 'FZ613', file: origin + path, rule: `${rule}. Nothing was paid`, fix});
  if (!key) throw refuse(paths.catalogue, `names no key, but ${by} ${known}`);
  const keys = await keysIn(await readFree(site, KEYS.jwks.path, MOST_JWKS_BYTES));
  const before = keys.find(one => isPinned({key: known, by}, one));
  if (before && (await leadsTo(before, key, keys))) return;
  throw refuse(
    paths.catalogue,
    `is signed by the key ${key.kid}, but ${by} ${known}, which has not signed it as the next key`,
    'Ask the publisher for the right key, and pass it with --site-key.',
  );
}
