/** A freeze in the chain of its source. */
export interface Link {
  /** The name of its folder. */
  readonly date: string;
  readonly as_of: string;
  /** Lower-case hex SHA-256 of the bytes of its descriptor. */
  readonly descriptor: string;
  /** The digest of the previous descriptor. Undefined for the first freeze, and for older ones that were added later. */
  readonly previous?: string | undefined;
}

/** All freezes of a source, oldest `as_of` first. */
export interface FreezeChain {
  readonly name: string;
  readonly freezes: readonly Link[];
}

/** A freeze that does not match the previous one. */
export interface BrokenLink {
  readonly link: Link;
  /** The part at fault: its member `previous`, or the whole freeze. */
  readonly of: 'previous' | 'freeze';
  /** The likely cause, completing "<member or freeze> …": a freeze that was later inserted, removed or changed. */
  readonly rule: string;
}

/** True if a freeze of the source has `previous`. From that freeze on, all need it. */
export function isChained(freezes: readonly Link[]): boolean {
  return freezes.some(({previous}) => previous !== undefined);
}

/**
 * Returns every break of a chain, at most one per freeze. After the first `previous`, each freeze must have the digest of the one before
 * it.
 */
export function brokenLinks({freezes}: Pick<FreezeChain, 'freezes'>): BrokenLink[] {
  const firstLinked = freezes.findIndex(({previous}) => previous !== undefined);
  const inserted = insertedFreezes(freezes);
  return freezes.flatMap((link, at): BrokenLink[] => {
    const [before, later] = [freezes[at - 1], inserted.get(link)];
    if (later)
      return [
        {link, of: 'freeze', rule: `was inserted later: ${later.date} names an older freeze as the one before it`},
      ];
    if (firstLinked < 0 || at < firstLinked || link.previous === before?.descriptor) return [];
    if (!before) return [{link, of: 'previous', rule: 'refers to a freeze before it that is missing: it was removed'}];
    if (link.previous === undefined) return [{link, of: 'freeze', rule: missing(before)}];
    if (inserted.has(before)) return [];
    const rule = `is not the SHA-256 of the descriptor of ${before.date}, the freeze before it: that was changed, or a freeze between the two was removed`;
    return [{link, of: 'previous', rule}];
  });
}

function missing({date, descriptor}: Link): string {
  return `does not have a "previous" although it is part of a chain: either it was added by hand, or its member "${descriptor}" for ${date} was removed`;
}

/**
 * Returns the freezes that were inserted: those between a freeze and the older one that its `previous` refers to. Each is mapped to the
 * later freeze. If several later freezes skip it, it is mapped to the one with the oldest `previous`.
 */
function insertedFreezes(freezes: readonly Link[]): ReadonlyMap<Link, Link> {
  const places = new Map(freezes.map(({descriptor}, at) => [descriptor, at]));
  const inserted = new Map<Link, Link>();
  let oldest: {readonly named: number; readonly by: Link} | undefined;
  for (const [at, link] of [...freezes.entries()].reverse()) {
    if (oldest && oldest.named < at) inserted.set(link, oldest.by);
    const named = places.get(link.previous ?? '') ?? at;
    if (!oldest || named < oldest.named) oldest = {named, by: link};
  }
  return inserted;
}
