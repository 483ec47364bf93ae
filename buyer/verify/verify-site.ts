import {realMoneyFaults} from '../../shared/real-money.ts';
import {payToFault} from '../../shared/pay-to.ts';
import {counted} from '../../shared/counted.ts';
import {JSON_TYPE, OPENAPI, paths} from '../../shared/paths.ts';
import {describeFault, InputError} from '../../shared/fault.ts';
import type {Catalogue, Entry, ListedFile} from '../../shared/shapes.ts';
import {documentsOf, paidOf, paidPaths, type PaidDocument} from './catalogue.ts';
import {failed, noted, thrown, unchecked, verdict, type Check} from './check.ts';
import type {Parts} from './examine-product.ts';
import type {Examiner} from './examiner.ts';
import type {Recomputed} from './recompute.ts';
import {MAX_SITE_BYTES} from './bounds.ts';
import {sinceChecks} from './since/since-checks.ts';
import type {PinOf} from './signature/pin.ts';
import {signatureChecks} from './signature/signature-checks.ts';
import {readListed, type Access, type Read, type Shelf} from './shelf.ts';
import {witnessTasks, type Witnesses} from './witness-checks.ts';

/** How a site is verified. */
export interface Options {
  readonly examiner: Examiner;
  /** After which nothing more is looked at. */
  readonly until: AbortSignal;
  /** The host sells nothing: paid documents must not be there at all. */
  readonly freeOnly: boolean;
  /** A catalogue of the site that somebody kept: what was rewritten since? */
  readonly since?: Catalogue | undefined;
  /** The tree that the frozen rows give, to compare with. */
  readonly recomputed?: Recomputed | undefined;
  /** The key that must have signed the catalogue, where somebody knows it. */
  readonly pinOf?: PinOf | undefined;
  /** Whose word proofs are believed on. */
  readonly witnesses: Witnesses;
  /** Told of every product before it is looked at. */
  readonly onProduct?: (name: string, at: number, of: number) => void;
}

/** Every check of a site, or of as much of it as there is time for. Throws `InputError` where it is none of this kind. */
export async function verifySite(shelf: Shelf, options: Options): Promise<Check[]> {
  const {since} = options;
  const {catalogue, checks} = await openSite(shelf, options);
  const {products, files} = catalogue;
  checks.push(...dueChecks(products, new Date()));
  const access = options.freeOnly ? 'folder' : await shelf.access(catalogue);
  if (access === 'ungated') checks.push(ungatedCheck(shelf, catalogue));
  const site = {shelf, catalogue, access};
  const tasks = [
    ...products.map((entry, at) => [entry.name, () => productChecks(site, entry, at, options)] as const),
    ...files.map(file => [file.path, () => fileChecks(site, file, options)] as const),
    ...(since ? [['site', () => sinceChecks(shelf, catalogue, since, options)] as const] : []),
    ...witnessTasks({...options, catalogue, shelf}),
    ['site', () => shelf.whole(catalogue)] as const,
    ['site', () => payeeChecks(catalogue)] as const,
    ['site', () => Promise.resolve(options.recomputed?.rest(catalogue) ?? [])] as const,
  ];
  for (const [at, [subject, task]] of tasks.entries()) {
    if (options.until.aborted) return [...checks, outOfTime(shelf, tasks.length - at)];
    for (const check of await task().catch((error: unknown) => thrown('examination', subject, error)))
      checks.push(check);
  }
  // How long caches keep what is shown without a gate, on somebody's own machine, is no matter.
  return access === 'ungated' ? checks.filter(({what}) => what !== 'cache') : checks;
}

/** The one failure of a site without a gate, e.g. where `serve` shows the folder. */
function ungatedCheck({name}: Shelf, catalogue: Catalogue): Check {
  const sold = counted(paidPaths(catalogue).length, 'paid document');
  return failed('gate', name, `is served without a gate: who does not pay gets ${sold}, all that there are`);
}

function outOfTime({name}: Shelf, left: number): Check {
  return failed(
    'effort',
    name,
    `the time for all checks is over: ${left} products, files and checks of the whole are left`,
  );
}

async function fileChecks(
  {shelf, catalogue: {base_url, payment}}: Site,
  {path, type, ...listed}: ListedFile,
  options: Options,
): Promise<Check[]> {
  const {bytes, checks} = await readListed(shelf, path, type, listed, MAX_SITE_BYTES);
  const all = [...checks, ...compared(options, path, bytes)];
  if (!bytes || path !== OPENAPI) return all;
  const task = {type: 'discovery', subject: path, bytes, site: {base_url, payment}} as const;
  return [...all, ...(await options.examiner.examine(task)).checks];
}

/** The catalogue of a site, with what was found on the way. */
export async function openSite(
  shelf: Shelf,
  options: Pick<Options, 'examiner' | 'recomputed' | 'pinOf'>,
): Promise<{catalogue: Catalogue; checks: Check[]}> {
  const path = paths.catalogue;
  const {bytes, checks} = await shelf.read(path, JSON_TYPE, MAX_SITE_BYTES);
  const examined = bytes && (await options.examiner.examine({type: 'catalogue', subject: path, bytes}));
  if (bytes && examined?.catalogue) {
    const {catalogue} = examined;
    const signed = await signatureChecks(shelf, {catalogue, bytes}, await options.pinOf?.(catalogue));
    return {catalogue, checks: [...checks, ...examined.checks, ...compared(options, path, bytes), ...signed]};
  }
  const fault = [...(examined?.checks ?? []), ...checks].find(({state}) => state === 'failed');
  const why = fault?.detail ?? 'is missing';
  // A host that does not answer at all may well be a site of this kind.
  const rule = fault?.what === 'answer' ? why : `is not a site of this kind: its catalogue ${path} ${why}`;
  throw new InputError({file: shelf.name, rule});
}

/** Products of which a newer snapshot was due: no fault of the documents that are there. */
function dueChecks(products: readonly Entry[], now: Date): Check[] {
  return products.flatMap(({name, next_expected: due}) =>
    due === undefined || due > now.toISOString() ? [] : [noted('due', name, `a newer snapshot was due ${due}`)],
  );
}

/** Whether money paid to the site reaches anybody. */
async function payeeChecks(catalogue: Catalogue): Promise<Check[]> {
  const fault = await payToFault(catalogue);
  const placeholders = (await realMoneyFaults(catalogue, {})).filter(({field}) => field?.endsWith('pay_to'));
  const payees = catalogue.payment.accepts.map(({network, pay_to}) => `${pay_to} on ${network}`).join(', ');
  return verdict('payee', 'catalogue', fault === undefined ? placeholders.map(describeFault) : [fault], payees);
}

/** A site whose products are looked at. */
interface Site {
  readonly shelf: Shelf;
  readonly catalogue: Catalogue;
  readonly access: Access;
}

async function productChecks(site: Site, entry: Entry, at: number, options: Options): Promise<Check[]> {
  const {shelf, catalogue} = site;
  options.onProduct?.(entry.name, at + 1, catalogue.products.length);
  const parts: Parts<Uint8Array> = {};
  const reads = documentsOf(entry).map(async ({part, path, listed}) => {
    if (part === 'paid') return [];
    const {bytes, checks} = await readListed(shelf, path, JSON_TYPE, listed);
    if (bytes) parts[part] = bytes;
    return [...checks, ...compared(options, path, bytes)];
  });
  const read = (await Promise.all(reads)).flat();
  const [first, ...editions] = paidOf(entry);
  const paid = first && (await paidChecks(site, entry, first, options));
  if (paid?.bytes) parts.paid = paid.bytes;
  const exam = {baseUrl: catalogue.base_url, entry, parts};
  const {checks} = await options.examiner.examine({type: 'product', subject: entry.name, exam});
  const all = [...read, ...(paid?.checks ?? []), ...checks];
  const inJson = new Map([['', parts.paid]]);
  for (const document of editions) {
    if (options.until.aborted) return [...all, outOfTime(shelf, 1)];
    const {bytes, checks} = await paidChecks(site, entry, document, options);
    all.push(...checks);
    if (!bytes) continue;
    const {format, part} = document.edition ?? {};
    const rowsOf = part?.name ?? '';
    if (format === 'json') inJson.set(rowsOf, bytes);
    const exam = {entry, document, bytes, schema: parts.paidSchema, sample: parts.sample, json: inJson.get(rowsOf)};
    all.push(...(await options.examiner.examine({type: 'edition', subject: document.path, exam})).checks);
  }
  return all;
}

/** The checks of a paid document: where it is sold, of its 402; else of its bytes, which are returned only where they are as listed. */
async function paidChecks(
  {shelf, catalogue, access}: Site,
  entry: Entry,
  document: PaidDocument,
  options: Options,
): Promise<Read> {
  const {path, type, listed} = document;
  if (options.freeOnly) return {checks: [await shelf.absent(path)]};
  if (access === 'gated') {
    const sold = unchecked('paid document', path, 'sold; once bought, verify it by itself');
    const recomputed = options.recomputed?.compareListed(path, listed) ?? [];
    return {checks: [...(await shelf.paid(document, entry, catalogue)), sold, ...recomputed]};
  }
  const {bytes, checks} = await readListed(shelf, path, type, listed);
  return {...(bytes && {bytes}), checks: [...checks, ...compared(options, path, bytes)]};
}

function compared({recomputed}: Pick<Options, 'recomputed'>, path: string, bytes: Uint8Array | undefined): Check[] {
  return bytes && recomputed ? recomputed.compare(path, bytes) : [];
}
