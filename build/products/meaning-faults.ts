import type {Fault} from '../../shared/fault.ts';
import type {Kind, Product} from '../kinds/kind.ts';
import {knownSourceHint} from '../read/source-name-hint.ts';
import {nameFaults, nameOf} from './names.ts';

/** What a product's file says, as far as it is known. */
export interface Described {
  readonly file: string;
  readonly value: unknown;
  /** The members that it has itself. */
  readonly given: ReadonlySet<string>;
  readonly kind: Kind | undefined;
  /** The sources that there are. */
  readonly known: ReadonlySet<string>;
  /** The members that break their schema: nothing more is said of them. */
  readonly broken: ReadonlySet<string | undefined>;
}

/** Faults of members that keep their schema: of the name, of sources, and of members that do not go together. */
export function meaningFaults({file, value, given, kind, known, broken}: Described): Fault[] {
  // Not an object at all.
  if (broken.has(undefined)) return [];
  const product = {...(value as Product), file};
  const are = (...members: string[]) => members.every(member => !broken.has(member));
  const fault = (field: string, found: string, rule: string): Fault => ({file, field, value: found, rule});
  const named = are('title', 'name') ? {...product, ...nameOf(product)} : undefined;
  return [
    ...(are('every', 'freeze') && product.every !== undefined && product.freeze !== undefined
      ? [fault('every', product.every, 'promises newer snapshots, and "freeze" keeps one')]
      : []),
    ...(are('source', 'sources', 'figures', 'rows', 'document', 'bundle')
      ? (kind?.faults?.(product, given) ?? [])
      : []),
    ...(are('source', 'sources') ? sourcesIn(product, kind) : [])
      .filter(([, source]) => source !== '' && !known.has(source))
      .map(([field, source]) =>
        fault(field, source, `is not a folder in data/sources${knownSourceHint(source, known)}`),
      ),
    ...(named ? nameFaults(named) : []),
    ...(named && are('siblings') && product.siblings.includes(named.name)
      ? [fault('siblings', named.name, 'names the product itself')]
      : []),
  ];
}

/** The sources that a product names, and where it does. */
function sourcesIn(product: Product, kind: Kind | undefined): (readonly [field: string, source: string])[] {
  if (product.source !== undefined) return [['source', product.source]];
  const tables = kind?.tables?.(product).filter(({before}) => !before) ?? [];
  return tables.map(({name, source}) => [`sources.${name}`, source]);
}
