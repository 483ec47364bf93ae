import {type Check, failed, noted, checksFromError, unchecked, verdict} from './check.ts';
import {recomputedFrom, Session, type CheckOptions} from './session.ts';
import {pinFrom, type PinOf} from './signature/pin.ts';
import {savedCatalogueIn, sinceChecks} from './since/since-checks.ts';
import {witnessesOf, type WitnessOptions, witnessTasks} from './witness-checks.ts';
import {realMoneyFaults} from '../../shared/real-money.ts';
import {payToFault} from '../../shared/pay-to.ts';
import {JSON_TYPE, OPENAPI, paths} from '../../shared/paths.ts';
import {describeFault, InputError} from '../../shared/fault.ts';
import type {Catalogue, Entry, Listed, ListedFile} from '../../shared/shapes.ts';
import {documentsOf, paidOf, type PaidDocument} from './catalogue.ts';
import type {Parts} from './examine-product.ts';
import type {Recomputed} from './recompute.ts';
import {MAX_SITE_BYTES} from './bounds.ts';
import {signatureChecks} from './signature/signature-checks.ts';
import {readListed, type Read, type SiteReader} from './site-reader.ts';

export interface SiteOptions extends CheckOptions, WitnessOptions {
  /** The folder of the site, whose `data/site.json` may name the key. */
  readonly root?: string | undefined;
  /** True if the host sells nothing, so that paid documents must be absent. */
  readonly freeOnly?: boolean | undefined;
  readonly savedCatalogue?: string | undefined;
  /** Called before each product is checked. */
  readonly onProduct?: ((name: string, at: number, of: number) => void) | undefined;
}

/**
 * Runs all checks of a site within the time limit.
 *
 * @param target an origin, the folder `public/`, or the folder above it. Throws `InputError` if it is not a site
 * @param openSession returns the session, which is disposed of
 */
export async function verifySite(
  target: string,
  options: SiteOptions = {},
  openSession = () => new Session(options),
): Promise<Check[]> {
  const witnesses = await witnessesOf(options);
  const recomputed = await recomputedFrom(options);
  await using session = openSession();
  const {examiner, until} = session;
  const {savedCatalogue: file} = options;
  const since = file === undefined ? undefined : await savedCatalogueIn(file, examiner);
  const pinOf = await pinFrom({...options, target, saved: since});
  using reader = await session.openSite(target);
  const {catalogue, checks} = await openCatalogue(reader, {examiner, recomputed, pinOf});
  const {products, files} = catalogue;
  checks.push(...dueChecks(products, new Date()));
  const site = {...options, reader, catalogue, examiner, until, recomputed};
  const tasks = [
    ...products.map((entry, at) => [entry.name, () => productChecks(site, entry, at)] as const),
    ...files.map(file => [file.path, () => fileChecks(site, file)] as const),
    ...(since ? [['site', () => sinceChecks(site, since)] as const] : []),
    ...witnessTasks(site, witnesses),
    ['site', () => reader.whole(catalogue)] as const,
    ['site', () => payeeChecks(catalogue)] as const,
    ['site', () => Promise.resolve(recomputed?.rest(catalogue) ?? [])] as const,
  ];
  for (const [at, [subject, task]] of tasks.entries()) {
    if (until.aborted) return [...checks, outOfTime(reader, tasks.length - at)];
    for (const check of await task().catch((error: unknown) => checksFromError('examination', subject, error)))
      checks.push(check);
  }
  return checks;
}

export interface OpenSite extends Pick<Session, 'examiner' | 'until'>, Pick<SiteOptions, 'freeOnly' | 'onProduct'> {
  readonly reader: SiteReader;
  readonly catalogue: Catalogue;
  readonly recomputed: Recomputed | undefined;
}

function outOfTime({name}: SiteReader, left: number): Check {
  const detail = `the time for all checks is over: ${left} products, files and checks of the site are left`;
  return failed('effort', name, detail);
}

async function fileChecks(site: OpenSite, {path, type, ...listed}: ListedFile): Promise<readonly Check[]> {
  const {bytes, checks} = await readCompared(site, path, type, listed, MAX_SITE_BYTES);
  if (!bytes || path !== OPENAPI) return checks;
  const {base_url, payment} = site.catalogue;
  const task = {type: 'discovery', subject: path, bytes, site: {base_url, payment}} as const;
  return [...checks, ...(await site.examiner.examine(task)).checks];
}

/** Reads a document in the catalogue, and checks its size and digest, and its bytes if they were computed. */
async function readCompared(
  {reader, recomputed}: OpenSite,
  path: string,
  type: string,
  listed: Listed,
  maxBytes?: number,
): Promise<Read> {
  const {bytes, checks} = await readListed(reader, path, type, listed, maxBytes);
  return bytes ? {bytes, checks: [...checks, ...(recomputed?.compare(path, bytes) ?? [])]} : {checks};
}

/** Reads the catalogue of a site, and checks it. Throws `InputError` if there is no catalogue. */
export async function openCatalogue(
  reader: SiteReader,
  {examiner, recomputed, pinOf}: Pick<Session, 'examiner'> & {recomputed?: Recomputed | undefined; pinOf?: PinOf},
): Promise<{catalogue: Catalogue; checks: Check[]}> {
  const path = paths.catalogue;
  const {bytes, checks} = await reader.read(path, JSON_TYPE, MAX_SITE_BYTES);
  const examined = bytes && (await examiner.examine({type: 'catalogue', subject: path, bytes}));
  if (bytes && examined?.catalogue) {
    const {catalogue} = examined;
    const signed = await signatureChecks(reader, {catalogue, bytes}, await pinOf?.(catalogue));
    const compared = recomputed?.compare(path, bytes) ?? [];
    return {catalogue, checks: [...checks, ...examined.checks, ...compared, ...signed]};
  }
  const fault = [...(examined?.checks ?? []), ...checks].find(({state}) => state === 'failed');
  const why = fault?.detail ?? 'is missing';
  // If the host does not answer, it may still be a site of this kind.
  if (fault?.what === 'answer') throw new InputError({code: 'FZ602', ...reader.place, rule: why});
  const rule = `is not a site of this kind: its catalogue ${path} ${why}`;
  throw new InputError({code: 'FZ617', ...reader.place, rule});
}

/** Notes products with an overdue snapshot. Their documents are valid. */
function dueChecks(products: readonly Entry[], now: Date): Check[] {
  return products.flatMap(({name, next_expected: due}) =>
    due === undefined || due > now.toISOString() ? [] : [noted('due', name, `a newer snapshot was due ${due}`)],
  );
}

/** Checks that payments to the site reach a payee. */
async function payeeChecks(catalogue: Catalogue): Promise<Check[]> {
  const fault = await payToFault(catalogue);
  const placeholders = (await realMoneyFaults(catalogue, {})).filter(({field}) => field?.endsWith('pay_to'));
  const payees = catalogue.payment.accepts.map(({network, pay_to}) => `${pay_to} on ${network}`).join(', ');
  return verdict('payee', 'catalogue', fault === undefined ? placeholders.map(describeFault) : [fault], payees);
}

async function productChecks(site: OpenSite, entry: Entry, at: number): Promise<Check[]> {
  const {reader, catalogue, examiner} = site;
  site.onProduct?.(entry.name, at + 1, catalogue.products.length);
  const parts: Parts<Uint8Array> = {};
  const reads = documentsOf(entry).map(async ({part, path, listed}) => {
    if (part === 'paid') return [];
    const {bytes, checks} = await readCompared(site, path, JSON_TYPE, listed);
    if (bytes) parts[part] = bytes;
    return checks;
  });
  const read = (await Promise.all(reads)).flat();
  const [first, ...editions] = paidOf(entry);
  const paid = first && (await paidChecks(site, entry, first));
  if (paid?.bytes) parts.paid = paid.bytes;
  const freezes = (catalogue.sources ?? []).map(({name: source, freezes}) => ({
    source,
    times: freezes.map(({as_of}) => as_of),
  }));
  const exam = {baseUrl: catalogue.base_url, entry, parts, freezes};
  const {checks} = await examiner.examine({type: 'product', subject: entry.name, exam});
  const all = [...read, ...(paid?.checks ?? []), ...checks];
  const inJson = new Map([['', parts.paid]]);
  for (const document of editions) {
    if (site.until.aborted) return [...all, outOfTime(reader, 1)];
    const {bytes, checks} = await paidChecks(site, entry, document);
    all.push(...checks);
    if (!bytes) continue;
    const {format, part} = document.edition ?? {};
    const rowsOf = part?.name ?? '';
    if (format === 'json') inJson.set(rowsOf, bytes);
    const exam = {entry, document, bytes, schema: parts.paidSchema, sample: parts.sample, json: inJson.get(rowsOf)};
    all.push(...(await examiner.examine({type: 'edition', subject: document.path, exam})).checks);
  }
  return all;
}

/** Checks a paid document: behind a gate its 402, otherwise its bytes, which are returned if they match the catalogue. */
async function paidChecks(site: OpenSite, entry: Entry, document: PaidDocument): Promise<Read> {
  const {reader, catalogue} = site;
  const {path, type, listed} = document;
  if (site.freeOnly) return {checks: [await reader.absent(path)]};
  if (reader.isGated) {
    const why = 'it is for sale; verify it with `frozen verify document` after you buy it';
    const sold = unchecked('paid document', path, why);
    const recomputed = site.recomputed?.compareListed(path, listed);
    return {checks: [...(await reader.paid(document, entry, catalogue)), sold, ...(recomputed ? [recomputed] : [])]};
  }
  return readCompared(site, path, type, listed);
}
