import {createHash} from 'node:crypto';
import {lstatSync, readdirSync, readFileSync, readlinkSync} from 'node:fs';
import {join} from 'node:path';
import {
  CLASS_SHARE,
  DENY_CSV,
  DENY_SCHEMA,
  emptySite,
  EVENT_BUNDLE,
  SAME_TIMESTAMPS,
  VERIFIED_SCHEMA,
  type FreezeFixture,
  type SiteFixture,
} from '../site-fixture.ts';

/** A way to break a good site, and the expected error of the build. */
export interface BadInput {
  /** Completes "refuses …". */
  readonly name: string;
  readonly breaks: (site: SiteFixture) => Promise<unknown>;
  /** The whole standard error of the build. A list has one entry per line. */
  readonly says: string | readonly string[] | RegExp;
}

/** The folder of the files in the messages. Other files are named by their whole paths. */
export function below(folder: string, says: BadInput['says']): BadInput['says'] {
  if (says instanceof RegExp) return says;
  return [says].flat().map(line => (/^(data|public|paywall)\/|^…/.test(line) ? line : `${folder}/${line}`));
}

export const VERIFIED_CSV =
  'origin,first,last,claimed\nhttps://a.example,2026-04-01 10:00 ET,2026-04-01 10:00 ET,true\nhttps://b.example,2026-04-02 11:30 ET,2026-04-02 12:00 ET,false\n';

export const EVENT = {
  type: 'payment_required',
  payload: {sku: 'softfail3', http_status: 402, settle_success: false},
};

export const DENY: FreezeFixture = {
  source: 'deny-list',
  files: {'deny-list.csv': DENY_CSV},
  schema: DENY_SCHEMA,
};
export const VERIFIED: FreezeFixture = {
  source: 'verified-list',
  files: {'verified-list.csv': VERIFIED_CSV},
  schema: VERIFIED_SCHEMA,
};
export const EVENTS: FreezeFixture = {
  source: 'webhook-events',
  files: {'webhook-events.json': JSON.stringify([EVENT], null, 2)},
  format: 'json',
};

const PRODUCTS = {
  'soft-fail-3': CLASS_SHARE,
  'first-last-same': SAME_TIMESTAMPS,
  'webhook-bundle': EVENT_BUNDLE,
};

/** Makes a site that sells a product over each list: one of each kind by default. */
export async function goodSite(lists: readonly FreezeFixture[] = [DENY, VERIFIED, EVENTS]): Promise<SiteFixture> {
  const site = await emptySite();
  for (const [name, product] of Object.entries(PRODUCTS))
    if (lists.some(({source}) => source === product.source)) await site.write(`data/products/${name}.json`, product);
  for (const freeze of lists) await site.freeze(freeze);
  return site;
}

/**
 * Lists a folder and everything below it, with the properties that writing would change: inode, contents, and below the
 * folder also the modification time.
 */
export function stateOf(root: string, path = '.'): string[] {
  const full = join(root, path);
  const standing = lstatSync(full, {bigint: true});
  const found = `${path} ${standing.ino} ${path === '.' ? '' : standing.mtimeNs}`;
  if (standing.isSymbolicLink()) return [`${found} -> ${readlinkSync(full)}`];
  if (!standing.isDirectory()) return [`${found} ${createHash('sha256').update(readFileSync(full)).digest('hex')}`];
  const names = readdirSync(full).sort();
  return [found, ...names.flatMap(name => stateOf(root, join(path, name)))];
}
