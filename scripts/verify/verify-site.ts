import {payToFault} from '../../paywall/site/pay-to.ts';
import {JSON_TYPE, paths} from '../../shared/paths.ts';
import {InputError} from '../../shared/fault.ts';
import type {Catalogue, Entry, ListedFile} from '../../shared/shapes.ts';
import {documentsOf} from './catalogue.ts';
import {failed, thrown, unchecked, verdict, type Check} from './check.ts';
import type {Parts} from './examine-product.ts';
import type {Examiner} from './examiner.ts';
import type {Recomputed} from './recompute.ts';
import {MAX_SITE_BYTES} from './bounds.ts';
import {readListed, type Shelf} from './shelf.ts';

/** How a site is verified. */
export interface Options {
  readonly examiner: Examiner;
  /** After which nothing more is looked at. */
  readonly until: AbortSignal;
  /** The host sells nothing: paid documents must not be there at all. */
  readonly freeOnly: boolean;
  /** The tree that the frozen rows give, to compare with. */
  readonly recomputed?: Recomputed | undefined;
  /** Told of every product before it is looked at. */
  readonly onProduct?: (name: string, at: number, of: number) => void;
}

/** Every check of a site, or of as much of it as there is time for. Throws `InputError` where it is none of this kind. */
export async function verifySite(shelf: Shelf, options: Options): Promise<Check[]> {
  const {catalogue, checks} = await openSite(shelf, options);
  const {products, files} = catalogue;
  const tasks = [
    ...products.map((entry, at) => [entry.name, () => productChecks(shelf, catalogue, entry, at, options)] as const),
    ...files.map(file => [file.path, () => fileChecks(shelf, file, options)] as const),
    ['site', () => shelf.whole(catalogue)] as const,
    ['site', () => payeeChecks(catalogue)] as const,
    ['site', () => Promise.resolve(options.recomputed?.rest(catalogue) ?? [])] as const,
  ];
  for (const [at, [subject, task]] of tasks.entries()) {
    if (options.until.aborted) return [...checks, outOfTime(shelf, tasks.length - at)];
    for (const check of await task().catch((error: unknown) => thrown('examination', subject, error)))
      checks.push(check);
  }
  return checks;
}

function outOfTime({name}: Shelf, left: number): Check {
  return failed(
    'effort',
    name,
    `the time for all checks is over: ${left} products, files and checks of the whole are left`,
  );
}

async function fileChecks(shelf: Shelf, {path, type, ...listed}: ListedFile, options: Options): Promise<Check[]> {
  const {bytes, checks} = await readListed(shelf, path, type, listed, MAX_SITE_BYTES);
  return [...checks, ...compared(options, path, bytes)];
}

/** The catalogue of a site, with what was found on the way. */
export async function openSite(
  shelf: Shelf,
  options: Pick<Options, 'examiner' | 'recomputed'>,
): Promise<{catalogue: Catalogue; checks: Check[]}> {
  const path = paths.catalogue;
  const {bytes, checks} = await shelf.read(path, JSON_TYPE, MAX_SITE_BYTES);
  const examined = bytes && (await options.examiner.examine({type: 'catalogue', subject: path, bytes}));
  if (examined?.catalogue) {
    const all = [...checks, ...examined.checks, ...compared(options, path, bytes)];
    return {catalogue: examined.catalogue, checks: all};
  }
  const fault = [...(examined?.checks ?? []), ...checks].find(({state}) => state === 'failed');
  const why = fault?.detail ?? 'is missing';
  // Who does not answer at all may well be a site of this kind.
  const rule = fault?.what === 'answer' ? why : `is not a site of this kind: its catalogue ${path} ${why}`;
  throw new InputError({file: shelf.name, rule});
}

/** Whether money paid to the site reaches anybody. */
async function payeeChecks(catalogue: Catalogue): Promise<Check[]> {
  const fault = await payToFault(catalogue);
  const payees = catalogue.payment.accepts.map(({network, pay_to}) => `${pay_to} on ${network}`).join(', ');
  return verdict('payee', 'catalogue', fault === undefined ? [] : [fault], payees);
}

async function productChecks(
  shelf: Shelf,
  catalogue: Catalogue,
  entry: Entry,
  at: number,
  options: Options,
): Promise<Check[]> {
  options.onProduct?.(entry.name, at + 1, catalogue.products.length);
  const parts: Parts<Uint8Array> = {};
  const reads = documentsOf(entry).map(async ({part, path, listed}) => {
    if (part === 'paid' && options.freeOnly) return [await shelf.absent(path)];
    if (part === 'paid' && shelf.sells) {
      const sold = unchecked('paid document', path, 'sold; once bought, verify it by itself');
      return [
        ...(await shelf.paid(entry, catalogue)),
        sold,
        ...(options.recomputed?.compareListed(path, listed) ?? []),
      ];
    }
    const {bytes, checks} = await readListed(shelf, path, JSON_TYPE, listed);
    if (bytes) parts[part] = bytes;
    return [...checks, ...compared(options, path, bytes)];
  });
  const read = (await Promise.all(reads)).flat();
  const exam = {baseUrl: catalogue.base_url, entry, parts};
  const {checks} = await options.examiner.examine({type: 'product', subject: entry.name, exam});
  return [...read, ...checks];
}

function compared({recomputed}: Pick<Options, 'recomputed'>, path: string, bytes: Uint8Array | undefined): Check[] {
  return bytes && recomputed ? recomputed.compare(path, bytes) : [];
}
