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
