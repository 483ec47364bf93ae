import {dirname, join} from 'node:path';
import {stat} from 'node:fs/promises';
import {InputError} from '../../shared/fault.ts';
import {FORMATS, PUBLIC} from '../../shared/paths.ts';
import type {Source} from '../../build/plan.ts';
import {textIfThere} from './bounded-file.ts';
import {verifyDocument} from './bought.ts';
import type {Check} from './check.ts';
import {Examiner} from './examiner.ts';
import {openFolder} from './folder.ts';
import {receiptFileAt} from './receipt-file.ts';
import {verifyReceipt} from './verify-receipt.ts';
import {REDIRECTS} from './redirects.ts';
import {MAX_BYTES} from './bounds.ts';
import type {Shelf} from './shelf.ts';
import {keptCatalogue} from './since/since-checks.ts';
import {refuseUnused, type TargetKind} from './unused-options.ts';
import {verifySite} from './verify-site.ts';
import {pinFrom} from './signature/pin.ts';
import {isAddress, originOf, Web} from './web.ts';
import {witnessesOf} from './witness-checks.ts';

/** What to verify, and how. */
export interface Wanted {
  /** A folder, an origin, or the file of one document. */
  readonly target: string;
  /** The folder `data/` to recompute from. */
  readonly data?: string | undefined;
  /** The folder that holds `public/`, whose `_redirects` is tried on an origin. */
  readonly root?: string | undefined;
  readonly schema?: string | undefined;
  /** Of a receipt: the file of the document that it is to be for. */
  readonly document?: string | undefined;
  readonly site?: string | undefined;
  /** The key that signs the site: its `kid`, its `x`, or a file that holds it. */
  readonly siteKey?: string | undefined;
  readonly freeOnly?: boolean;
  /** The file of a catalogue that was saved earlier. */
  readonly savedCatalogue?: string | undefined;
  /** The file with the certificates of authorities that stamp, and that with their revocation lists. */
  readonly tsaCa?: string | undefined;
  readonly tsaCrl?: string | undefined;
  /** A node of the chain that holds digests, and how many confirmations are enough. */
  readonly rpcUrl?: string | undefined;
  readonly confirmations?: number | undefined;
  /** Seconds for a request. */
  readonly requestTimeout: number;
  /** Seconds for everything. */
  readonly totalTimeout: number;
  readonly onProduct?: (name: string, at: number, of: number) => void;
  /** How far recomputing is. */
  readonly progress?: Source['progress'];
}

/**
 * Every check of a folder, an origin, a document or a receipt. Throws `InputError` if the target is none of these or an option has
 * no effect on it.
 */
export async function verify(wanted: Wanted): Promise<Check[]> {
  const until = AbortSignal.timeout(wanted.totalTimeout * 1000);
  const {target, data, root, freeOnly = false, schema, onProduct, progress} = wanted;
  const openWeb = (origin: string) => new Web(origin, wanted.requestTimeout, until);
  const receipt = isAddress(target) || !(await isFile(target)) ? undefined : await receiptFileAt(target);
  const kind = receipt ? 'receipt' : await kindOf(target);
  refuseUnused(kind, wanted);
  if (receipt) return verifyReceipt(target, receipt, {...wanted, until, openWeb});
  const witnesses = await witnessesOf(wanted);
  // The builder, the protocol's packages and the database take a while to load.
  const recomputed =
    data === undefined
      ? undefined
      : await (await import('./recompute.ts')).recompute({root: dirname(join(data, '.')), progress});
  await using examiner = new Examiner(until);
  const open = async (target: string): Promise<Shelf> => {
    if (!isAddress(target)) return openFolder(target, examiner, until);
    const {openOrigin} = await import('./origin.ts');
    const redirects = root === undefined ? undefined : await textIfThere(join(root, PUBLIC, REDIRECTS), MAX_BYTES);
    return openOrigin(openWeb(originOf(target)), {until, redirects});
  };
  if (kind === 'document' || kind === 'file of rows') {
    using site = wanted.site === undefined ? undefined : await open(wanted.site);
    const pinOf = await pinFrom(wanted);
    return await verifyDocument({file: target, examiner, schema, site, pinOf, recomputed, openWeb});
  }
  const since = wanted.savedCatalogue === undefined ? undefined : await keptCatalogue(wanted.savedCatalogue, examiner);
  const pinOf = await pinFrom({...wanted, kept: since});
  using shelf = await open(target);
  return await verifySite(shelf, {
    examiner,
    until,
    freeOnly,
    since,
    recomputed,
    pinOf,
    witnesses,
    ...(onProduct ? {onProduct} : {}),
  });
}

async function kindOf(target: string): Promise<Exclude<TargetKind, 'receipt'>> {
  if (isAddress(target)) return 'live site';
  if (!(await isFile(target))) return 'folder';
  const isOfRows = [FORMATS.csv.ending, FORMATS.parquet.ending].some(ending => target.endsWith(ending));
  return isOfRows ? 'file of rows' : 'document';
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (cause) {
    const {code = ''} = cause as NodeJS.ErrnoException;
    const rule = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new InputError({file: path, rule}, {cause});
  }
}
