import {JSON_TYPE, paths} from '../../shared/paths.ts';
import {InputError} from '../../shared/fault.ts';
import type {Catalogue, Entry} from '../../shared/shapes.ts';
import {documentsOf, type Part} from './catalogue.ts';
import type {Check} from './check.ts';
import {soldChecks} from './examine-product.ts';
import type {Examiner} from './examiner.ts';
import type {Recomputed} from './recompute.ts';
import {readListed, type Shelf} from './shelf.ts';

/** How a site is verified. */
export interface Options {
  readonly examiner: Examiner;
  /** The host sells nothing: paid documents must not be there at all. */
  readonly freeOnly: boolean;
  /** The tree that the frozen rows give, to compare with. */
  readonly recomputed?: Recomputed | undefined;
  /** Told of every product before it is looked at. */
  readonly onProduct?: (name: string, at: number, of: number) => void;
}

/** Every check of a site. Throws `InputError` where it is none of this kind. */
export async function verifySite(shelf: Shelf, options: Options): Promise<Check[]> {
  const {catalogue, checks} = await openSite(shelf, options);
  for (const [at, entry] of catalogue.products.entries()) {
    options.onProduct?.(entry.name, at + 1, catalogue.products.length);
    checks.push(...(await productChecks(shelf, catalogue, entry, options)));
  }
  for (const {path, type, ...listed} of catalogue.files) {
    const read = await readListed(shelf, path, type, listed);
    checks.push(...read.checks, ...compared(options, path, read.bytes));
  }
  return [...checks, ...(await shelf.whole(catalogue)), ...(options.recomputed?.rest(catalogue) ?? [])];
}

/** The catalogue of a site, with what was found on the way. */
export async function openSite(
  shelf: Shelf,
  options: Pick<Options, 'examiner' | 'recomputed'>,
): Promise<{catalogue: Catalogue; checks: Check[]}> {
  const path = paths.catalogue;
  const {bytes, checks} = await shelf.read(path, JSON_TYPE);
  const examined = bytes && (await options.examiner.examine({type: 'catalogue', name: path, bytes}, path));
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

async function productChecks(shelf: Shelf, catalogue: Catalogue, entry: Entry, options: Options): Promise<Check[]> {
  const parts: Partial<Record<Part, Uint8Array>> = {};
  const reads = documentsOf(entry).map(async ({part, path, listed}) => {
    if (part === 'paid' && options.freeOnly) return [await shelf.absent(path)];
    if (part === 'paid' && shelf.sells) {
      const sold = options.recomputed?.compareListed(path, listed) ?? [];
      return [...(await shelf.paid(entry, catalogue)), ...soldChecks(entry), ...sold];
    }
    const {bytes, checks} = await readListed(shelf, path, JSON_TYPE, listed);
    if (bytes) parts[part] = bytes;
    return [...checks, ...compared(options, path, bytes)];
  });
  const read = (await Promise.all(reads)).flat();
  const exam = {baseUrl: catalogue.base_url, entry, parts};
  const {checks} = await options.examiner.examine({type: 'product', exam}, entry.name);
  return [...read, ...checks];
}

function compared({recomputed}: Pick<Options, 'recomputed'>, path: string, bytes: Uint8Array | undefined): Check[] {
  return bytes && recomputed ? recomputed.compare(path, bytes) : [];
}
