import {brokenLinks, type FreezeChain, type Link} from '../../shared/chain.ts';
import type {Fault} from '../../shared/fault.ts';

/** The members of a freeze that its chain needs. */
interface Linked {
  /** Path of its descriptor, from the root. */
  readonly descriptor: string;
  readonly link: Link;
}

const MENDED = '(restore it from git; a freeze that was never committed can be frozen again with --replace)';

/** Returns the errors of freezes that do not match the previous one, oldest first. */
export function chainFaults(freezes: readonly Linked[]): Fault[] {
  const files = new Map(freezes.map(({link, descriptor}) => [link, descriptor]));
  return brokenLinks({freezes: freezes.map(({link}) => link)}).map(({link, of, rule}) => {
    const file = files.get(link) ?? '';
    return of === 'freeze'
      ? {code: 'FZ112', file, rule}
      : {code: 'FZ112', file, field: 'previous', value: link.previous, rule: `${rule} ${MENDED}`};
  });
}

/** Returns the distinct chains of all sources, sorted by name. Several units may read a source. */
export function chainsIn(units: readonly {readonly chains: readonly FreezeChain[]}[]): FreezeChain[] {
  const chains = new Map(units.flatMap(({chains}) => chains).map(chain => [chain.name, chain]));
  return [...chains.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the chain of a source, also if no freeze has `previous` yet. */
export function chainOf(name: string, freezes: readonly Linked[]): FreezeChain {
  return {name, freezes: freezes.map(({link}) => link)};
}
