import {readFile, realpath} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import type {z} from '@x402/core/schemas';
import {buildCommand} from '../shared/command-line.ts';
import {openDisk} from './disk.ts';
import {isIntact} from './documents.ts';
import type {Documents} from './documents.ts';
import {payToFault} from './pay-to.ts';
import {SiteError} from './site-error.ts';
import {catalogueSchema, cataloguePath, itemsOf, rulesSchema} from './site.ts';
import type {Catalogue, Rules} from './site.ts';

/** A site that may be sold: rules, catalogue and files agree, and somebody is paid. */
export interface OpenSite {
  readonly rules: Rules;
  readonly catalogue: Catalogue;
  readonly documents: Documents;
}

const rulesFile = 'paywall/rules/rules.json';
const catalogueFile = `public${cataloguePath}`;

/** Reads and checks the site below `root`; throws `SiteError` with the first thing that is wrong. */
export async function openSite(root: string): Promise<OpenSite> {
  const remedy = `run \`${buildCommand(resolve(root))}\``;
  const rules = await readJson(root, rulesFile, rulesSchema, remedy);
  const catalogue = await readJson(root, catalogueFile, catalogueSchema, remedy);
  const fault = (await payToFault(rules)) ?? disagreement(rules, catalogue, remedy);
  if (fault) throw new SiteError(`${fault}.`);
  const documents = await openDisk(await realpath(join(root, 'public')));
  for (const [path, {file, listed}] of itemsOf(rules, catalogue)) {
    const bytes = await documents.read(file);
    if (!bytes) throw new SiteError(`public${file}, which ${path} stands for, cannot be read: ${remedy}.`);
    if (listed && !(await isIntact(bytes, listed))) {
      throw new SiteError(`public${file} is not the file that ${catalogueFile} lists (other bytes): ${remedy}.`);
    }
  }
  return {rules, catalogue, documents};
}

async function readJson<T extends z.ZodTypeAny>(
  root: string,
  file: string,
  schema: T,
  remedy: string,
): Promise<z.output<T>> {
  const text = await readFile(join(root, file), 'utf8').catch((cause: unknown) => {
    throw new SiteError(`${file} cannot be read below ${root}: ${remedy}.`, {cause});
  });
  const parsed = schema.safeParse(parseJson(file, text, remedy));
  if (parsed.success) return parsed.data as z.output<T>;
  const issue = parsed.error.issues[0];
  throw new SiteError(`${file}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is malformed'}: ${remedy}.`);
}

function parseJson(file: string, text: string, remedy: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SiteError(`${file} is not JSON: ${remedy}.`, {cause});
  }
}

/** Where rules and catalogue say different things. */
function disagreement(rules: Rules, {base_url, payment, products}: Catalogue, remedy: string): string | undefined {
  const differ = (what: string) => `${rulesFile} and ${catalogueFile} differ in ${what}: ${remedy}`;
  if (rules.base_url !== base_url) return differ('base_url');
  if (JSON.stringify(rules.payment.accepts) !== JSON.stringify(payment.accepts)) return differ('who is paid');
  const named = new Map(products.map(product => [product.name, product]));
  for (const {name, path, price, sample} of rules.rules) {
    const product = named.get(name);
    if (!product) return `${rulesFile} sells ${name}, which ${catalogueFile} does not list: ${remedy}`;
    if (product.price !== price) return differ(`the price of ${name}`);
    if (product.paid.url !== base_url + path) return differ(`the path of ${name}`);
    if (product.sample.url !== base_url + sample) return differ(`the sample of ${name}`);
    named.delete(name);
  }
  const [unruled] = named.keys();
  return unruled && `${catalogueFile} lists ${unruled}, which ${rulesFile} does not sell: ${remedy}`;
}
