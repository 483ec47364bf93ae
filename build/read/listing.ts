import {hash} from 'node:crypto';
import {readdirSync, realpathSync} from 'node:fs';
import {join} from 'node:path';
import {ifReadable} from '../disk/if-readable.ts';

/** A digest of what lies in the folders of sources, and of where they are. */
export function listingOf(root: string, sources: readonly string[]): string {
  const listings = sources.toSorted().map(source => {
    const folder = join(root, 'data/sources', source);
    const entries = ifReadable(() => readdirSync(folder, {withFileTypes: true})) ?? [];
    const kinds = entries.map(entry => [entry.name, entry.isDirectory(), entry.isSymbolicLink()].join('/')).sort();
    return [source, ifReadable(() => realpathSync(folder)), kinds];
  });
  return hash('sha256', JSON.stringify(listings));
}
