import {readdir, readFile, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {z} from '@x402/core/schemas';
import {sha256} from '../../shared/digest.ts';
import {InputError} from '../../shared/fault.ts';
import {FORMATS, type Format} from '../../shared/paths.ts';
import {parsedJson} from '../../shared/parsed-json.ts';
import {makeFolder, syncFolder, writeDurably} from './disk.ts';
import type {Confirmation} from './confirmation.ts';
import type {Offer} from './offer.ts';
import type {Payment} from './payments.ts';
import {titleOf} from './sold.ts';

/** A document that was bought. */
export interface Owned extends Facts {
  /** Contains document, receipt and terms. */
  readonly folder: string;
  /** The document itself. */
  readonly file: string;
}

type Facts = Readonly<z.infer<typeof termsSchema>>;

const formats = Object.keys(FORMATS) as [Format, ...Format[]];

const termsSchema = z.object({
  site: z.string(),
  name: z.string(),
  /** The product that the document belongs to: by default the one with its name. */
  product: z.string().optional(),
  format: z.enum(formats).default('json'),
  title: z.string(),
  as_of: z.string(),
  price: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The document of this digest, wherever it was bought. Throws `InputError` where it was bought and is another by now. */
export async function ownedOf(root: string, digest: string): Promise<Owned | undefined> {
  for (const folder of await documentFolders(root, `-${digest.slice(0, 8)}`)) {
    const owned = await factsIn(folder);
    if (owned.sha256 !== digest) continue;
    if (sha256(await readFile(owned.file)) === digest) return owned;
    throw new InputError({
      file: owned.file,
      rule: 'is not the document that was bought: bring it back, or remove its folder',
    });
  }
  return undefined;
}

/** All documents in a folder. */
export async function allOwned(root: string): Promise<Owned[]> {
  return Promise.all((await documentFolders(root, '')).map(factsIn));
}

const receiptSchema = z.object({network: z.string(), payTo: z.string(), nonce: z.string()});

/** Network and payee of each document that this folder paid for at a site; documents that were only downloaded again do not count. */
export async function paidAt(root: string, origin: string): Promise<{network: string; payTo: string}[]> {
  const paid = [];
  const hosts = (await foldersIn(root)).filter(one => one === join(root, hostFolder(origin)));
  for (const product of (await Promise.all(hosts.map(foldersIn))).flat())
    for (const folder of await foldersIn(product)) {
      const text = await readFile(join(folder, 'receipt.json'), 'utf8').catch(() => '{}');
      const receipt = receiptSchema.safeParse(parsedJson(text)).data;
      if (receipt && !folder.endsWith(UNFINISHED) && (await factsIn(folder)).site === origin) paid.push(receipt);
    }
  return paid;
}

/** What is noted of a sale; amount and nonce are not known of a document that was bought elsewhere. */
type Sale = Pick<Payment, 'network' | 'asset' | 'payer' | 'payTo'> &
  Readonly<Record<'amount' | 'nonce', string | null>>;

/** The sale, as the site tells it. */
interface Settled {
  readonly transaction: string | undefined;
  readonly confirmation: Confirmation | undefined;
}

/** A document that has come just now, in its folder. */
export interface Kept {
  /** `again`: it was paid for before. */
  readonly kind: 'bought' | 'again';
  readonly folder: string;
  /** Nothing where the site names none. */
  readonly transaction: string | undefined;
  /** Why the receipt of a site with a key proves nothing, as the end of a sentence about the site. */
  readonly unconfirmed?: string | undefined;
}

/** Puts a document with receipt and terms into its folder, all at once. Returns it. */
export function keep(root: string, offer: Offer, sale: Sale, bytes: Uint8Array, settled: Settled) {
  return put(root, offer, sale, bytes, settled, folderName(offer.entry.as_of, offer.document.listed.sha256));
}

/** Puts what is not the document that was for sale aside. */
export function keepAside(root: string, offer: Offer, sale: Sale, bytes: Uint8Array, settled: Settled) {
  return put(root, offer, sale, bytes, settled, `${folderName(offer.entry.as_of, sha256(bytes))}${ASIDE}`);
}

const ASIDE = '.rejected';
const UNFINISHED = '.unfinished';

async function put(
  root: string,
  {entry, document, site, terms}: Offer,
  {network, asset, payer, payTo, amount, nonce}: Sale,
  bytes: Uint8Array,
  {transaction, confirmation}: Settled,
  name: string,
): Promise<string> {
  const above = join(root, hostFolder(site.origin), document.name);
  const [folder, unfinished] = [join(above, name), join(above, name + UNFINISHED)];
  const {as_of, price, schemas} = entry;
  const {name: named, listed, edition} = document;
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
  await writeDurably(join(unfinished, 'receipt.json'), pretty(receipt));
  await writeDurably(join(unfinished, 'terms.json'), pretty(agreed));
  await syncFolder(unfinished);
  if (name.endsWith(ASIDE)) await rm(folder, {recursive: true, force: true});
  await rename(unfinished, folder);
  await syncFolder(above);
  return folder;
}

/** A host as the name of a folder; no host can name one above. */
function hostFolder(origin: string): string {
  return new URL(origin).host.replaceAll(/[^a-z0-9.-]/g, '_').replace(/^\.+/, '_');
}

/** Without colons, which Windows takes for something else. */
function folderName(asOf: string, digest: string): string {
  return `${asOf.replaceAll(':', '')}-${digest.slice(0, 8)}`;
}

/** The folders `<host>/<name>/<as_of>-<digest>` whose names end so, without those that are unfinished or put aside. */
async function documentFolders(root: string, end: string): Promise<string[]> {
  const folders: string[] = [];
  for (const host of await foldersIn(root))
    for (const product of await foldersIn(host))
      for (const folder of await foldersIn(product))
        if (folder.endsWith(end) && !folder.endsWith(ASIDE) && !folder.endsWith(UNFINISHED)) folders.push(folder);
  return folders.sort();
}

async function foldersIn(folder: string): Promise<string[]> {
  try {
    const inside = await readdir(folder, {withFileTypes: true});
    return inside.filter(one => one.isDirectory()).map(({name}) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function factsIn(folder: string): Promise<Owned> {
  const file = join(folder, 'terms.json');
  try {
    const facts = termsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    return {folder, file: join(folder, fileName(facts.format)), ...facts};
  } catch (cause) {
    throw new InputError({file, rule: 'cannot be read: bring it back, or remove its folder'}, {cause});
  }
}

/** `document.json`, `document.csv` or `document.parquet`. */
function fileName(format: Format): string {
  return `document${FORMATS[format].ending || '.json'}`;
}

function pretty(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
