import {paths} from '../../shared/paths.ts';
import type {Site} from './catalogue.ts';
import {say, type Words} from './words.ts';

export const KEPT_OUT: Words = say`the paid documents are not in the repository: their rows are not compared`;

/**
 * Both sites without their paid documents, where a revision keeps all of its own out of the repository, as one does that
 * others may read. A single one that is missing is a fault, and so is any that is missing from the working tree.
 */
export function withoutKeptOut(sites: readonly [Site, Site]): readonly [Site, Site] {
  if (!sites.some(keepsOut)) return sites;
  const [before, after] = sites;
  return [withheld(before), withheld(after)];
}

function keepsOut({state, catalogue: {products}}: Site): boolean {
  const isRevision = state.place !== '';
  return isRevision && products.length > 0 && products.every(({name}) => !state.ids.has(`public${paths.paid(name)}`));
}

function withheld(site: Site): Site {
  return {...site, state: {...site.state, withheld: true}};
}

/** Paid documents that changed under one `as_of`, by their digests: what changed in them cannot be seen. */
export function changedUnseen(before: Site, after: Site): Words[] {
  if (!after.state.withheld) return [];
  const was = new Map(before.catalogue.products.map(entry => [entry.name, entry]));
  return after.catalogue.products
    .filter(({name, as_of, paid}) => was.get(name)?.as_of === as_of && was.get(name)?.paid.sha256 !== paid.sha256)
    .map(
      ({title, as_of}) =>
        say`the paid document of ${title} changed though as_of, ${as_of}, did not, and it is not in the repository to compare`,
    );
}
