import {InputError} from '../../shared/fault.ts';
import type {Wanted} from './verify.ts';

/** What a target can be. A file of rows is a paid document in CSV or Parquet, which names no product and has no JSON Schema. */
export type TargetKind = 'folder' | 'live site' | 'document' | 'file of rows' | 'receipt';

const SITE = ['folder', 'live site'] as const;

/** The options that only some targets use, with these targets. */
const USES = {
  data: [...SITE, 'document'],
  freeOnly: SITE,
  savedCatalogue: SITE,
  schema: ['document'],
  site: ['document', 'file of rows', 'receipt'],
  siteKey: [...SITE, 'document', 'file of rows', 'receipt'],
  document: ['receipt'],
  tsaCa: SITE,
  tsaCrl: SITE,
  rpcUrl: SITE,
  confirmations: SITE,
} as const satisfies Partial<Record<keyof Wanted, readonly TargetKind[]>>;

type Option = keyof typeof USES;

/** Options that have no effect without another one. */
const NEEDS = {
  tsaCrl: {other: 'tsaCa', why: 'has the certificate of the authority that signs the list'},
  confirmations: {other: 'rpcUrl', why: 'names the node that knows the blocks'},
} as const satisfies Partial<Record<Option, {readonly other: Option; readonly why: string}>>;

/**
 * Refuses the options that are given and have no effect on this kind of target: their user would believe that they were checked. The bounds
 * (`--request-timeout`, `--total-timeout`), `--root` and the form of the report hold for every target. Throws `InputError`.
 */
export function refuseUnused(kind: TargetKind, wanted: Partial<Wanted>): void {
  const given = (Object.keys(USES) as Option[]).filter(name => wanted[name] !== undefined && wanted[name] !== false);
  const faults = given.flatMap(name => {
    const rule = ruleFor(name, kind, wanted);
    return rule === undefined ? [] : [{file: flagOf(name), rule}];
  });
  if (faults.length > 0) throw new InputError(faults, {ofUsage: true});
}

function ruleFor(name: Option, kind: TargetKind, wanted: Partial<Wanted>): string | undefined {
  const kinds: readonly TargetKind[] = USES[name];
  if (!kinds.includes(kind)) return `is for ${oneOf(kinds)}, and not for ${article(kind)}`;
  const isAlone = kind === 'document' || kind === 'file of rows';
  if (name === 'siteKey' && isAlone && wanted.site === undefined)
    return `has no effect on ${article(kind)} without --site, which names the signed catalogue that lists it`;
  const needs = name in NEEDS ? NEEDS[name as keyof typeof NEEDS] : undefined;
  if (needs && wanted[needs.other] === undefined)
    return `has no effect without ${flagOf(needs.other)}, which ${needs.why}`;
  return undefined;
}

function oneOf(kinds: readonly TargetKind[]): string {
  const names = kinds.some(kind => kind === 'folder') ? ['site', ...kinds.filter(kind => !isSite(kind))] : kinds;
  return names.map(article).join(' or ');
}

function isSite(kind: TargetKind): boolean {
  return kind === 'folder' || kind === 'live site';
}

function article(kind: string): string {
  return kind === 'file of rows' ? 'a file of rows (CSV, Parquet)' : `a ${kind}`;
}

/** An option as it is typed: `--tsa-ca` of `tsaCa`. */
function flagOf(name: Option): string {
  return `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
}
