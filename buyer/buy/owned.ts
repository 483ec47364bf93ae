import {readdir, readFile, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {z} from '@x402/core/schemas';
import {sha256} from '../../shared/digest.ts';
import {encode} from '../../shared/encode.ts';
import {InputError, refuse} from '../../shared/fault.ts';
import {FORMATS, type Format, paths} from '../../shared/paths.ts';
import {makeFolder, syncFolder, writeDurably} from './disk.ts';
import type {Confirmation} from './confirmation.ts';
import {PRICE, dollarsOf} from './money.ts';
import type {Offer} from './offer.ts';
import {type Payment, Payments} from './payments.ts';
import {titleOf} from './sold.ts';

/** A bought document. */
export interface Owned extends Facts {
  /** Contains document, receipt and terms. */
  readonly folder: string;
  readonly file: string;
}

type Facts = Readonly<z.infer<typeof termsSchema>>;

const termsSchema = z.object({
  site: z.string(),
  name: z.string(),
  product: z.string(),
  format: z.enum(Object.keys(FORMATS) as [Format, ...Format[]]),
  title: z.string(),
  as_of: z.string(),
  price: z.string().regex(PRICE),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const RESTORE = 'Restore it, or remove its folder.';

/** Returns the document with this digest, from any site. Throws `InputError` if the bought file has changed. */
export async function ownedOf(root: string, digest: string): Promise<Owned | undefined> {
  for (const folder of await documentFolders(root, `-${digest.slice(0, 8)}`)) {
    const owned = await factsIn(folder);
    if (owned.sha256 !== digest) continue;
    if (sha256(await readFile(owned.file)) === digest) return owned;
    throw new InputError({code: 'FZ611', file: owned.file, rule: 'is not the document that was bought', fix: RESTORE});
  }
  return undefined;
}

export async function allOwned(root: string): Promise<Owned[]> {
  return Promise.all((await documentFolders(root, '')).map(factsIn));
}

/** The facts of a sale for the receipt. Amount and nonce are unknown for a document that was bought elsewhere. */
export type Sale = Pick<Payment, 'network' | 'asset' | 'payer' | 'payTo'> &
  Readonly<Record<'amount' | 'nonce', string | null>>;

/** The result of buying a document. */
export interface Bought {
  /** `owned`: it was in the folder. `again`: this wallet had paid for it before. */
  readonly kind: 'bought' | 'owned' | 'again';
  /** Contains the document, such as `document.json` or `document.csv`, `receipt.json` and `terms.json`. */
  readonly folder: string;
  /** The transaction of the purchase, if the site names it; absent if the document was already in the folder. */
  readonly transaction?: string | undefined;
  /** Why the receipt of a site with a key is invalid or missing, as the end of a sentence about the site; absent if it is valid. */
  readonly unconfirmed?: string | undefined;
}

const ASIDE = '.rejected';
const UNFINISHED = '.unfinished';

/**
 * Saves a document with receipt and terms in one step. Returns its folder.
 *
 * @param isRejected true if it is not the document for sale. It is then saved in a separate folder
 */
export async function saveDocument(
  root: string,
  {entry, document, site, terms}: Offer,
  {network, asset, payer, payTo, amount, nonce}: Sale,
  bytes: Uint8Array,
  {transaction, confirmation}: Pick<Bought, 'transaction'> & {readonly confirmation: Confirmation | undefined},
  isRejected = false,
): Promise<string> {
  const above = folderFor(root, {site, document});
  const {as_of, price, schemas} = entry;
  const {name: named, listed, edition} = document;
  // Named by the document for sale, so that a gate that sends other bytes each time does not fill the disk.
  const name = folderName(as_of, listed.sha256) + (isRejected ? ASIDE : '');
  const [folder, unfinished] = [join(above, name), join(above, name + UNFINISHED)];
  const format = edition?.format ?? 'json';
  const product = {name: named, product: entry.name, title: titleOf({entry, document}), format};
  const facts = {site: site.origin, ...product, as_of, price, sha256: listed.sha256} satisfies Facts;
  const agreed = {...facts, bytes: listed.bytes, schema: schemas.paid, requirements: terms.requirements};
  const {signing, offer, receipt: signed} = confirmation ?? {};
  const paid = {transaction: transaction ?? null, network, asset, payer, payTo, amount, nonce};
  const receipt = {...paid, signing, offer, receipt: signed};
  await rm(unfinished, {recursive: true, force: true});
  await makeFolder(unfinished);
  await writeDurably(join(unfinished, fileName(format)), bytes);
  await writeDurably(join(unfinished, 'receipt.json'), encode(receipt));
  await writeDurably(join(unfinished, 'terms.json'), encode(agreed));
  await syncFolder(unfinished);
  if (isRejected) await rm(folder, {recursive: true, force: true});
  await rename(unfinished, folder);
  await syncFolder(above);
  return folder;
}

export function folderFor(root: string, {site, document}: Pick<Offer, 'site' | 'document'>): string {
  return join(root, hostFolder(site.origin), document.name);
}

/** Returns a folder name for a host. It cannot name a parent folder. */
function hostFolder(origin: string): string {
  return new URL(origin).host.replaceAll(/[^a-z0-9.-]/g, '_').replace(/^\.+/, '_');
}

/** Returns a folder name without colons, which Windows does not allow. */
function folderName(asOf: string, digest: string): string {
  return `${asOf.replaceAll(':', '')}-${digest.slice(0, 8)}`;
}

/** Returns the folders `<host>/<name>/<as_of>-<digest>` with this suffix. Ignores unfinished and rejected ones, and those of git. */
async function documentFolders(root: string, end: string): Promise<string[]> {
  const folders: string[] = [];
  for (const host of await foldersIn(root))
    for (const product of await foldersIn(host))
      for (const folder of await foldersIn(product))
        if (folder.endsWith(end) && /Z-[0-9a-f]{8}$/.test(folder)) folders.push(folder);
  return folders.sort();
}

async function foldersIn(folder: string): Promise<string[]> {
  try {
    const inside = await readdir(folder, {withFileTypes: true});
    // A folder that was moved elsewhere may have a link in its place.
    return inside.filter(one => one.isDirectory() || one.isSymbolicLink()).map(({name}) => join(folder, name));
  } catch (error) {
    // ENOTDIR: a link to a file. ELOOP: a link to itself.
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Returns the document in a folder `<host>/<name>/<as_of>-<digest>`. Throws `InputError` if its terms cannot be read. */
export async function factsIn(folder: string): Promise<Owned> {
  const file = join(folder, 'terms.json');
  try {
    const facts = termsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    return {folder, file: join(folder, fileName(facts.format)), ...facts};
  } catch (cause) {
    throw new InputError({code: 'FZ611', file, rule: 'cannot be read', fix: RESTORE}, {cause});
  }
}

/** `document.json`, `document.csv` or `document.parquet`. */
function fileName(format: Format): string {
  return `document${FORMATS[format].ending || '.json'}`;
}

/**
 * Throws `InputError` if a folder has a document that its site no longer sells, such as a part of a list that became shorter. The error
 * names the bought files and an interrupted payment.
 */
export async function refuseDropped(folder: string, origin: string, name: string): Promise<void> {
  const url = origin + paths.paid(name);
  const bought = (await allOwned(folder)).filter(one => one.site === origin && one.name === name);
  const open = (await Payments.read(folder)).openOf(origin, name);
  const fault = (rest: string) => ({code: 'FZ615' as const, url, rule: `is no longer sold${rest}`});
  refuse([
    ...bought.map(({as_of, file: saved}) => fault(`. The document of ${as_of} was bought before: ${saved}`)),
    ...(open && !bought.some(({sha256}) => sha256 === open.sha256)
      ? [
          fault(
            `, and a payment of ${dollarsOf(Number(open.amount))} for it was interrupted (signed at ${open.signedAt}). It may have been charged, so ask the publisher for a refund`,
          ),
        ]
      : []),
  ]);
}
