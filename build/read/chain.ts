import {brokenLinks, type FreezeChain, type Link} from '../../shared/chain.ts';
import type {Fault} from '../../shared/fault.ts';

/** A freeze, as far as its chain goes. */
interface Linked {
  /** Its descriptor below the root. */
  readonly descriptor: string;
  readonly link: Link;
}

const MENDED = '(bring it back; what was never committed is frozen again with --replace)';

/** The faults of freezes that do not fit the one before them, oldest first. */
export function chainFaults(freezes: readonly Linked[]): Fault[] {
  const files = new Map(freezes.map(({link, descriptor}) => [link, descriptor]));
  return brokenLinks({freezes: freezes.map(({link}) => link)}).map(({link, of, rule}) => {
    const file = files.get(link) ?? '';
    return of === 'freeze' ? {file, rule} : {file, field: 'previous', value: link.previous, rule: `${rule} ${MENDED}`};
  });
}

/** The chains of all sources, each once, in the order of their names. Several units may read a source. */
export function chainsIn(units: readonly {readonly chains: readonly FreezeChain[]}[]): FreezeChain[] {
  const chains = new Map(units.flatMap(({chains}) => chains).map(chain => [chain.name, chain]));
  return [...chains.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The chain of a source, whether it has begun or not. */
export function chainOf(name: string, freezes: readonly Linked[]): FreezeChain {
  return {name, freezes: freezes.map(({link}) => link)};
}
