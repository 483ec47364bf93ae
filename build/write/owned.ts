import {readFileSync} from 'node:fs';
import {join} from 'node:path';

/** Where a build prepares its files, below the root: on the same disk as `public/`, and never served. */
export const STAGING = '.build';
/** The paths that an unfinished build owned, old and new. */
export const JOURNAL = `${STAGING}/owned.json`;

/**
 * The files that earlier builds wrote: those that the catalogue and the rules on disk name, and those in the journal of a build that
 * was killed. Only these may ever be removed.
 */
export function ownedPaths(root: string): string[] {
  const [catalogue, rules, journal] = ['public/api/v1/index.json', 'paywall/rules/rules.json', JOURNAL].map(path =>
    readJson(join(root, path)),
  );
  const owned = new Set([
    ...cataloguedPaths(catalogue),
    ...stringsIn((rules as {hosts?: unknown} | undefined)?.hosts),
    ...stringsIn(journal),
  ]);
  return [...owned].filter(isOutput);
}

/** A path below `public/` or `paywall/rules/` that leads nowhere else. */
function isOutput(path: string): boolean {
  return /^(public|paywall\/rules)\/./.test(path) && path.split('/').every(part => !['', '.', '..'].includes(part));
}

/** A catalogue may be of another version or edited by hand, so nothing of its shape is taken for granted but `url` and `path` members. */
function cataloguedPaths(catalogue: unknown): string[] {
  const base = String((catalogue as {base_url?: unknown} | null | undefined)?.base_url);
  return stringsIn(catalogue).flatMap(text => {
    if (text.startsWith(`${base}/`)) return [`public${text.slice(base.length)}`];
    return text.startsWith('/') ? [`public${text}`] : [];
  });
}

/** Every text in a JSON value. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
