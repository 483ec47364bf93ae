import {createHash} from 'node:crypto';
import {join} from 'node:path';
import glob from 'fast-glob';
import {counted} from '../../shared/counted.ts';
import {InputError} from '../../shared/fault.ts';
import {parsedJson} from '../../shared/parsed-json.ts';
import {cacheControl, namedPaths, paths} from '../../shared/paths.ts';
import type {OpenSite} from '../../paywall/site/open-site.ts';
import {catalogueItem, itemsOf} from '../../paywall/site/site.ts';
import {printable} from '../../shared/printable.ts';

const SHOWN_UNLISTED = 3;

/** A file to deploy with its headers, which are those that the gate sends. */
export interface Deployable {
  /** Absolute path on the site, such as `/api/v1/softfail3`. */
  readonly path: string;
  /** The path of the file on disk. */
  readonly file: string;
  readonly paid: boolean;
  readonly type: string;
  readonly cacheControl: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly md5: string;
}

/**
 * Returns the files of the site in the order of uploading: the catalogue is last, because it names the others, and its signature precedes
 * it.
 */
export async function deployables(root: string, site: OpenSite): Promise<Deployable[]> {
  const items = [...itemsOf(site.rules, site.catalogue)].filter(([path]) => path !== '/' && path !== paths.catalogue);
  const isLate = (path: string) => Number(path === paths.signature);
  const sorted = items.sort(([one], [other]) => isLate(one) - isLate(other) || (one < other ? -1 : 1));
  const all: Deployable[] = [];
  for (const [path, item] of [...sorted, [paths.catalogue, catalogueItem] as const]) {
    const paid = item.kind === 'paid';
    const bytes = await site.documents.read(path);
    if (!bytes) throw new InputError({code: 'FZ402', file: `public${path}`, rule: 'cannot be read any more'});
    all.push({
      path,
      file: join(root, 'public', path),
      paid,
      type: paid ? item.rule.type : item.type,
      cacheControl: cacheControl[item.kind],
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      md5: createHash('md5').update(bytes).digest('hex'),
    });
  }
  return all;
}

/**
 * Returns a line about the files of `public/` that the build did not write, or nothing. The gate does not serve them.
 *
 * @param fate completes "and are …"
 */
export async function unlistedNote(root: string, built: readonly Deployable[], fate: string): Promise<string[]> {
  const paths = new Set(built.map(({path}) => path));
  const files = await glob('**', {cwd: join(root, 'public'), dot: true, followSymbolicLinks: false});
  const unlisted = files.filter(file => !paths.has(`/${file}`)).sort();
  if (unlisted.length === 0) return [];
  const verb = unlisted.length === 1 ? 'is' : 'are';
  const names = unlisted.slice(0, SHOWN_UNLISTED).map(printable).join(', ');
  const more = unlisted.length > SHOWN_UNLISTED ? ` and ${unlisted.length - SHOWN_UNLISTED} more` : '';
  return [
    `${counted(unlisted.length, 'file')} in public/ ${verb} not part of the build and ${verb} ${fate}: ${names}${more}`,
  ];
}

/**
 * Returns the paths that an earlier deployment uploaded: those in its catalogue, and everything below `/api/v1/`, which is reserved for
 * documents. Other files on the host are kept.
 *
 * @param catalogue text of the deployed catalogue, which may be of another version or invalid
 * @param there the deployed paths
 */
export function formerPaths(catalogue: string, there: readonly string[]): string[] {
  const named = new Set(namedPaths(parsedJson(catalogue)));
  return there.filter(path => named.has(path) || isReserved(path));
}

/** True if a path can only belong to this site, even if no catalogue names it. */
export function isReserved(path: string): boolean {
  return path.startsWith('/api/v1/');
}

/**
 * Throws `InputError` if the deployed site has another `base_url`, because the bucket or branch is then probably a wrong one.
 *
 * @param catalogue text of the deployed catalogue, which may be of another version or invalid
 * @param base_url of the site that will be deployed
 * @param to the destination, for the message
 * @param replaced the `base_url` that the publisher wants to replace
 */
export function refuseOtherSite(catalogue: string, base_url: string, to: string, replaced: string | undefined): void {
  const deployed = (parsedJson(catalogue) as {base_url?: unknown} | undefined)?.base_url;
  if (typeof deployed !== 'string' || deployed === base_url || deployed === replaced) return;
  const rule = `contains the site ${deployed}, but the site to deploy is ${base_url}`;
  const fix = `Name another destination, or replace that site with \`--replace-site ${deployed}\`.`;
  throw new InputError({code: 'FZ415', subject: to, rule, fix});
}
