import {readFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import type {z} from '@x402/core/schemas';
import {shaped} from '../../shared/shaped.ts';
import {catalogueSchema, rulesSchema, soldBy, type Catalogue, type Rules} from '../../shared/shapes.ts';
import {buildCommand} from '../../shared/command-line.ts';
import {CATALOGUE_FILE, RULES_FILE, paths} from '../../shared/paths.ts';
import {unsignedCatalogue} from '../../shared/detached-signature.ts';
import {openDisk} from './disk.ts';
import {cannotBeRead, isIntact, type Documents} from './documents.ts';
import {payToFault} from '../../shared/pay-to.ts';
import {SiteError} from './site-error.ts';
import {stampOf} from './stamp.ts';
import {itemsOf} from './site.ts';

/** A site that a gate can serve: its rules, catalogue and files agree, and its payees are valid. */
export interface OpenSite {
  readonly root: string;
  /** The result of `stampOf` before the files were read. */
  readonly stamp: string;
  readonly rules: Rules;
  readonly catalogue: Catalogue;
  /** The reason why buyers would refuse the catalogue, if the site has a signing key and its signature is missing or wrong. */
  readonly unsigned?: string;
  /** Reads the files of the site. The catalogue and its signature remain those of this build, even if their files change. */
  readonly documents: Documents;
}

/** Reads and checks the site below `root`. Throws `SiteError` with the first error. */
export async function openSite(root: string): Promise<OpenSite> {
  const stamp = await stampOf(root);
  const fix = `Run \`${buildCommand(resolve(root))}\`.`;
  const refused = (message: string, cause?: unknown) => new SiteError('FZ404', `${message}.`, {fix, cause});
  const {value: rules} = await readJson(root, RULES_FILE, rulesSchema, refused);
  const {value: catalogue, bytes: opened} = await readJson(root, CATALOGUE_FILE, catalogueSchema, refused);
  const fault = await payToFault(rules);
  if (fault) throw new SiteError('FZ404', `${fault}.`);
  const difference = disagreement(rules, catalogue);
  if (difference) throw refused(difference);
  const disk = await openDisk(join(root, 'public'));
  const {signing} = catalogue;
  const signature = signing && (await disk.read(paths.signature));
  for (const [path, item] of itemsOf(rules, catalogue)) {
    const {file} = item;
    if (item.kind === 'free' && item.isOptional) continue;
    let why = 'cannot be read';
    const bytes = await disk.read(file, error => {
      why = cannotBeRead(error);
    });
    if (!bytes) throw refused(`public${file}, the file of ${path}, ${why}`);
    if (item.listed && !(await isIntact(bytes, item.listed)))
      throw refused(`public${file} does not have the digest that ${CATALOGUE_FILE} lists`);
  }
  const documents: Documents = {
    async read(file, onFault) {
      if (file === paths.catalogue) return opened;
      if (file === paths.signature) return signature;
      return disk.read(file, onFault);
    },
  };
  const unsigned = signing && (await unsignedCatalogue(signature, opened, signing));
  return {root, stamp, rules, catalogue, documents, ...(unsigned !== undefined && {unsigned})};
}

async function readJson<T>(
  root: string,
  file: string,
  schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  refused: (message: string, cause?: unknown) => SiteError,
): Promise<{value: T; bytes: Uint8Array<ArrayBuffer>}> {
  const bytes = await readFile(join(root, file)).catch((cause: unknown) => {
    throw refused(`${file} below ${root} ${cannotBeRead(cause)}`, cause);
  });
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (cause) {
    throw refused(`${file} is not JSON`, cause);
  }
  const read = shaped(schema, value);
  if ('value' in read) return {value: read.value, bytes: new Uint8Array(bytes)};
  const [{path, rule}] = read.misfits;
  throw refused(`${file}: ${path.join('.')} ${rule}`);
}

/** Returns the first difference between rules and catalogue, as a sentence without a full stop. */
function disagreement(
  rules: Rules,
  {base_url, payment, redownload_days, signing, products}: Catalogue,
): string | undefined {
  const differ = (what: string) => `${RULES_FILE} and ${CATALOGUE_FILE} differ in ${what}`;
  if (rules.base_url !== base_url) return differ('base_url');
  if (JSON.stringify(rules.payment.accepts) !== JSON.stringify(payment.accepts)) return differ('payment.accepts');
  if (rules.redownload_days !== redownload_days) return differ('redownload_days');
  if (rules.signing?.x !== signing?.x || rules.signing?.kid !== signing?.kid) return differ('signing');
  const named = new Map(products.map(product => [product.name, product]));
  const withoutRule = new Map(
    products.flatMap(product =>
      soldBy(product).map(({url}) => [url, url === product.paid.url ? product.name : url] as const),
    ),
  );
  for (const {name, path, price, sample, pass, snapshots = {}} of rules.rules) {
    const product = named.get(name);
    if (!product) return `${RULES_FILE} sells ${name}, which ${CATALOGUE_FILE} does not list`;
    if (product.price !== price) return differ(`the price of ${name}`);
    if (product.pass?.next !== pass?.next) return differ(`the number of later snapshots of ${name}`);
    // The rules decide which passes include the snapshot for sale, so both must be of the same build.
    const latest = Object.values(snapshots).flat().sort().at(-1);
    if (latest !== undefined && latest !== product.as_of) return differ(`the latest snapshot of ${name}`);
    if (!soldBy(product).some(({url}) => url === base_url + path)) return differ(`the path of ${name}`);
    if (product.sample.url !== base_url + sample) return differ(`the sample of ${name}`);
    withoutRule.delete(base_url + path);
  }
  const [first] = withoutRule.values();
  return first && `${CATALOGUE_FILE} lists ${first}, which ${RULES_FILE} does not sell`;
}
