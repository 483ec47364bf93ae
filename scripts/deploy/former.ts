import {namedPaths} from '../../shared/paths.ts';

/**
 * Paths that an earlier deployment put on a host: what the catalogue there names, and everything below `/api/v1/`, where nothing but
 * documents of a site belongs. Whatever else somebody put there stays.
 *
 * @param catalogue text of the catalogue there, which may be of another version or broken
 * @param there the paths that are there now
 */
export function formerPaths(catalogue: string, there: readonly string[]): string[] {
  const named = new Set(namedIn(catalogue));
  return there.filter(path => named.has(path) || path.startsWith('/api/v1/'));
}

function namedIn(catalogue: string): string[] {
  try {
    return namedPaths(JSON.parse(catalogue));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [];
  }
}
