import {isChained, type Chain} from '../../shared/chain.ts';
import type {Catalogue, ListedSource} from '../../shared/shapes.ts';
import type {WitnessedFreeze} from '../read/proofs.ts';
import type {Frozen} from './publication.ts';
import {fingerprintOf} from './text.ts';

/** The chains and the witnesses by which freezes can be proved. */
export interface Proved {
  /** Of every source. */
  readonly chains: readonly Chain[];
  readonly witnessed: readonly WitnessedFreeze[];
}

/** The sources of a product, each once, as its latest freeze describes it. */
export function listedSources(freezes: readonly Frozen[]): ListedSource[] {
  const latest = new Map(
    freezes.toSorted((a, b) => (a.as_of < b.as_of ? -1 : 1)).map(freeze => [freeze.source, freeze]),
  );
  return [...latest.values()].map(({source, about}) => ({name: source, ...about}));
}

/** The sources of which something can be proved, by name: those whose chain has begun or that have a witness, with all their freezes. */
export function sourcesOf(
  baseUrl: string,
  chains: readonly Chain[],
  witnessed: readonly WitnessedFreeze[],
): NonNullable<Catalogue['sources']> {
  const proofs = new Map(witnessed.map(freeze => [`${freeze.source} ${freeze.date}`, freeze.proofs]));
  const listed = chains.map(({name, freezes}) => ({
    name,
    freezes: freezes.map(link => {
      const own = proofs.get(`${name} ${link.date}`) ?? [];
      const told = own.map(({kind, path, bytes}) => ({kind, url: baseUrl + path, ...fingerprintOf(bytes)}));
      return {...link, ...(told.length > 0 && {proofs: told})};
    }),
  }));
  return listed.filter(({freezes}) => isChained(freezes) || freezes.some(freeze => freeze.proofs));
}
