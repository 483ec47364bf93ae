import {MOST_SIGNATURE_BYTES, signatureFault, textOf} from '../../shared/detached-signature.ts';
import {InputError, refuse} from '../../shared/fault.ts';
import {paths} from '../../shared/paths.ts';
import type {Catalogue, Listed} from '../../shared/shapes.ts';
import {kidFault} from '../../shared/signing-key.ts';
import {MAX_BYTES, MAX_SITE_BYTES} from '../verify/bounds.ts';
import type {Check} from '../verify/check.ts';
import type {Examiner} from '../verify/examiner.ts';
import {digestFault} from '../verify/site-reader.ts';
import {type Answer, type Ask, unexpected} from './ask.ts';
import {mediaTypeOf} from './sold.ts';

export interface LiveSite {
  readonly origin: string;
  readonly ask: Ask;
  readonly catalogue: Catalogue;
}

/** Reads the catalogue of a site. Throws `InputError` if it is missing, contradicts itself, or is not signed by the key that it names. */
export async function openSite(origin: string, ask: Ask, examiner: Examiner): Promise<LiveSite> {
  const bytes = await readFree({origin, ask}, paths.catalogue, MAX_SITE_BYTES);
  const {catalogue, checks} = await examiner.examine({type: 'catalogue', subject: paths.catalogue, bytes});
  refuseFailed(origin + paths.catalogue, checks);
  if (!catalogue) throw new Error('the examiner returned neither a catalogue nor a failed check');
  const site = {origin, ask, catalogue};
  await refuseUnsigned(site, bytes);
  return site;
}

/** Throws `InputError` if a catalogue names a key but is not signed by it. */
async function refuseUnsigned(site: LiveSite, bytes: Uint8Array): Promise<void> {
  const {signing: key} = site.catalogue;
  if (!key) return;
  const refuse = (path: string, rule: string, fix?: string) =>
    new InputError({code: 'FZ618', url: site.origin + path, rule, fix});
  const named = await kidFault(key);
  if (named !== undefined) throw refuse(paths.catalogue, named);
  const answer = await site.ask(paths.signature, {maxBytes: MOST_SIGNATURE_BYTES});
  if (answer.status === 404) {
    const fix = 'Report it to the publisher. If the site is yours, run `frozen sign catalogue` and deploy again.';
    throw refuse(paths.signature, 'is missing, and the catalogue names a signing key', fix);
  }
  const fault = await signatureFault(textOf(freeBytes(site, paths.signature, answer)), bytes, key);
  if (fault !== undefined) throw refuse(paths.signature, fault);
}

/** Reads a free document in the catalogue. Throws `InputError` if its digest differs. */
export async function readListed(site: LiveSite, path: string, listed: Listed): Promise<Uint8Array> {
  const bytes = await readFree(site, path, MAX_BYTES);
  const rule = digestFault(bytes, listed);
  if (rule !== undefined) throw new InputError({code: 'FZ603', url: site.origin + path, rule});
  return bytes;
}

export function failuresIn(checks: readonly Check[]): Check[] {
  return checks.filter(({state}) => state === 'failed');
}

/** Throws `InputError` with the failed checks of a document. */
export function refuseFailed(url: string, checks: readonly Check[]): void {
  refuse(failuresIn(checks).map(({detail}) => ({code: 'FZ619', url, rule: detail})));
}

/** Reads a free document. Throws `InputError` if it is missing. */
export async function readFree(
  site: Pick<LiveSite, 'origin' | 'ask'>,
  path: string,
  maxBytes: number,
): Promise<Uint8Array> {
  return freeBytes(site, path, await site.ask(path, {maxBytes}));
}

/** Returns the document in an answer. Throws `InputError` if it is missing. */
function freeBytes({origin}: Pick<LiveSite, 'origin'>, path: string, answer: Answer): Uint8Array {
  const url = origin + path;
  if (answer.status !== 200) throw new InputError({code: 'FZ602', url, rule: unexpected(answer, url, '200')});
  if (mediaTypeOf(answer.headers.get('Content-Type') ?? '') !== 'text/html') return answer.bytes;
  const fix = 'Check the address of the site, and whether this network requires a login in a browser.';
  throw new InputError({code: 'FZ602', url, rule: 'answers with a web page, not with this document', fix});
}
