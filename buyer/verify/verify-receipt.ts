import {basename} from 'node:path';
import {sha256} from '../../shared/digest.ts';
import {InputError} from '../../shared/fault.ts';
import {networkOf} from '../../shared/networks.ts';
import {leadsTo} from '../../shared/next-key.ts';
import {KEYS} from '../../shared/paths.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import {readBounded} from './bounded-file.ts';
import {MAX_BYTES} from './bounds.ts';
import {paidOf} from './catalogue.ts';
import {failed, noted, passed, checksFromError, unchecked, verdict, type Check} from './check.ts';
import {namedKeys, keysIn, MOST_JWKS_BYTES, type DatedKey} from './signature/pin.ts';
import {
  differences,
  readSigned,
  readStatement,
  receiptSchema,
  signatureFault,
  signedSchema,
  type ReceiptPayload,
} from './receipt-payload.ts';
import {publicKeySchema, type Catalogue} from '../../shared/shapes.ts';
import type {SiteReader} from './site-reader.ts';
import {openCatalogue} from './verify-site.ts';
import {Session, type TimeLimits} from './session.ts';
import {isAddress, originOf} from './web.ts';
import {z} from '@x402/core/schemas';
import {readUntrusted} from './untrusted-json.ts';

/** The difference between two clocks that is not reported. */
const SKEW_SECONDS = 300;

export interface ReceiptOptions extends TimeLimits {
  /** The key that must have signed it, as in `namedKeys`. */
  readonly siteKey?: string | undefined;
  /** The site with the key in its catalogue, and former keys in its key set: a folder or an origin. */
  readonly site?: string | undefined;
  /** The file of the document that the receipt must be for. */
  readonly document?: string | undefined;
}

/**
 * Verifies a receipt: its signature, the seller's confirmation, and that it is for the document. Connects only to the site, if one is
 * given. Throws `InputError` if the file is not a receipt.
 */
export async function verifyReceipt(file: string, against: ReceiptOptions = {}): Promise<Check[]> {
  const {jws, claimed, beside} = await readReceipt(file);
  const subject = basename(file);
  if (jws === undefined) return [failed(RECEIPT, subject, 'contains no signed receipt')];
  const document = against.document === undefined ? undefined : await readBounded(against.document, MAX_BYTES);
  const {keys, checks, catalogue} = await signerOf(claimed, against);
  try {
    const {thumbprint} = readStatement(subject, jws);
    // The key name in the receipt is not trusted.
    const key = keys.find(({kid}) => kid === thumbprint) ?? (await signerAmong(keys, jws));
    if (!key) return [...checks, failed('key', subject, otherKey(thumbprint, keys, against))];
    const said = await readSigned(subject, jws, key, receiptSchema);
    const others = differences(said, beside).map(fault => `differs from its signed content, which ${fault}`);
    return [
      ...checks,
      passed('signature', subject, `is a signature with the expected key ${key.kid}`),
      ...verdict(RECEIPT, subject, others, await paymentIn(said)),
      ...verdict(
        RECEIPT,
        subject,
        otherSiteFaults(said, catalogue?.base_url),
        `and delivered ${said.resourceUrl} as of ${said.as_of}, SHA-256 ${said.sha256}`,
      ),
      ...unusualFacts(said, key, catalogue).map(fact => noted(RECEIPT, subject, fact)),
      document && against.document !== undefined
        ? documentCheck(basename(against.document), said, document)
        : unchecked('document', subject, 'use --document to compare it with the file'),
    ];
  } catch (error) {
    if (error instanceof InputError) return [...checks, ...checksFromError('signature', subject, error)];
    throw error;
  }
}

/** Returns the keys that may have signed a receipt and, if a site is given, its catalogue and the checks of that. */
async function signerOf(claimed: PublicKey | undefined, {siteKey, site, ...limits}: ReceiptOptions) {
  const named = siteKey === undefined ? undefined : await namedKeys(siteKey, claimed);
  if (site === undefined) return {keys: named ?? [], checks: [], catalogue: undefined};
  await using session = new Session(limits);
  using reader = await session.openSite(site);
  const {catalogue, checks} = await openCatalogue(reader, session);
  const {signing} = catalogue;
  const address = isAddress(site) ? (await import('./origin.ts')).addressChecks(originOf(site), catalogue) : [];
  const keys: DatedKey[] = named ?? (signing ? [signing, ...(await formerOf(reader, signing))] : []);
  return {keys, checks: [...checks, ...address], catalogue};
}

/**
 * Returns the former keys of a site that lead to the current one. A lost or stolen key did not sign a successor, and must be given with
 * `--site-key`.
 */
async function formerOf(reader: SiteReader, signing: PublicKey): Promise<DatedKey[]> {
  const {path, type} = KEYS.jwks;
  const {bytes} = await reader.read(path, type, MOST_JWKS_BYTES);
  const {url} = reader.place;
  const keys = bytes ? await keysIn(bytes, url === undefined ? {file: path} : {url: url + path}) : [];
  const led = await Promise.all(keys.map(key => leadsTo(key, signing, keys)));
  return keys.filter((_, at) => led[at]);
}

/** Returns an error if a receipt is for a document of another site than the given one, because every site can sign its own receipts. */
function otherSiteFaults({resourceUrl}: ReceiptPayload, base_url: string | undefined): string[] {
  if (base_url === undefined || resourceUrl.startsWith(`${base_url}/`)) return [];
  return [`is for ${resourceUrl}, which is not a document of the given site, ${base_url}`];
}

/** Returns what is unusual about a receipt with a valid signature, such as one made with a stolen key. A wrong clock can be the reason. */
function unusualFacts(
  {issuedAt, resourceUrl}: ReceiptPayload,
  {exp}: DatedKey,
  catalogue: Catalogue | undefined,
): string[] {
  const at = new Date(issuedAt * 1000).toISOString();
  const isSold = catalogue?.products.flatMap(paidOf).some(({path}) => catalogue.base_url + path === resourceUrl);
  return [
    ...(issuedAt > Date.now() / 1000 + SKEW_SECONDS ? [`is dated in the future, ${at}`] : []),
    ...(exp !== undefined && issuedAt > exp ? [`is dated ${at}, after the last day of the key that signed it`] : []),
    ...(isSold === false ? [`is for ${resourceUrl}, which the site does not sell now`] : []),
  ];
}

async function signerAmong(keys: readonly DatedKey[], jws: string): Promise<DatedKey | undefined> {
  for (const key of keys) if ((await signatureFault(jws, key)) === undefined) return key;
  return undefined;
}

function otherKey(thumbprint: string, keys: readonly DatedKey[], {siteKey, site}: ReceiptOptions): string {
  if (keys.length === 0)
    return `names its own key, ${thumbprint}, which proves nothing: pass the key of the seller with --site-key, or the site with --site`;
  if (thumbprint === siteKey)
    return `is signed by the key ${thumbprint}, and a kid does not contain the key: pass its x, or a file that contains it`;
  const former = siteKey === undefined && site !== undefined ? ', nor a former key of the site that leads to it' : '';
  return `is signed by the key ${thumbprint}, which is not the expected one${former}`;
}

async function paymentIn(said: ReceiptPayload): Promise<string> {
  const {payer, payTo, price, amount, network, issuedAt, transaction} = said;
  const at = new Date(issuedAt * 1000).toISOString();
  const by = transaction === undefined ? 'an unnamed transaction' : transaction;
  const {name: where} = await networkOf(network);
  return `the seller confirmed at ${at} that ${payer} paid ${price} (${amount} units) on ${where} to ${payTo}, by ${by}`;
}

function documentCheck(file: string, said: ReceiptPayload, bytes: Buffer): Check {
  const digest = sha256(bytes);
  return digest === said.sha256
    ? passed('document', file, 'is the document of the receipt')
    : failed('document', file, `is not the document of the receipt: its SHA-256 is ${digest}`);
}

export const RECEIPT = 'receipt';

/** Larger than any receipt. */
const MOST_BYTES = 64 * 1024;

/** `receipt.json` of `frozen buy`. It has `receipt` and `signing` if the site has a key. */
const savedSchema = z.object({
  transaction: z.string().nullable(),
  network: z.string(),
  asset: z.string(),
  payer: z.string(),
  payTo: z.string(),
  amount: z.string().nullable(),
  receipt: signedSchema.optional(),
  // The key is not trusted, so an invalid one counts as none.
  signing: publicKeySchema.optional().catch(undefined),
});
/** Only the extension of x402, or its content. */
const bareSchema = z.union([
  signedSchema.transform(receipt => ({receipt})),
  z.object({info: z.object({receipt: signedSchema})}).transform(({info}) => info),
]);

/**
 * Reads a receipt: its compact JWS, if the seller signed; the key that it names, which is not trusted; and the members next to the
 * signature, which must match the signed ones. Throws `InputError` if the file cannot be read or is not a receipt.
 */
async function readReceipt(file: string) {
  const value = readUntrusted(file, await readBounded(file, MOST_BYTES));
  const saved = savedSchema.safeParse(value).data;
  if (saved) {
    const {receipt, signing, ...facts} = saved;
    const beside = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== null));
    return {jws: receipt?.signature, claimed: signing, beside};
  }
  const bare = bareSchema.safeParse(value).data;
  if (!bare)
    throw new InputError({
      code: 'FZ606',
      file,
      rule: 'is not a receipt',
      fix: 'Use `frozen verify document` to check it.',
    });
  return {jws: bare.receipt.signature, claimed: undefined, beside: {}};
}
