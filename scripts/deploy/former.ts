import {namedPaths} from '../../shared/paths.ts';

/**
 * Returns the paths that an earlier deployment uploaded: those in its catalogue, and everything below `/api/v1/`, which is reserved for
 * documents. Other files on the host are kept.
 *
 * @param catalogue text of the deployed catalogue, which may be of another version or invalid
 * @param there the deployed paths
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
