/** A freeze in the chain of its source. */
export interface Link {
  /** Names its folder. */
  readonly date: string;
  readonly as_of: string;
  /** Lower-case hex SHA-256 of the bytes of its descriptor. */
  readonly descriptor: string;
  /** The digest of the descriptor before it; freezes from before there were chains have none. */
  readonly previous?: string | undefined;
}

/** All freezes of a source, oldest `as_of` first. */
export interface FreezeChain {
  readonly name: string;
  readonly freezes: readonly Link[];
}

/** A freeze that does not fit the one before it. */
export interface BrokenLink {
  readonly link: Link;
  /** Whether its member `previous` is at fault, or the whole freeze. */
  readonly of: 'previous' | 'freeze';
  /** Completes the sentence "<member or freeze> …", as it looks: a freeze that was put in, taken out or changed later. */
  readonly rule: string;
}

/** Whether the chain of a source has begun: with the first freeze that names the one before it. */
export function isChained(freezes: readonly Link[]): boolean {
  return freezes.some(({previous}) => previous !== undefined);
}

/** Every break of a chain, one each. From its beginning on, each freeze names the one before it. */
export function brokenLinks({freezes}: Pick<FreezeChain, 'freezes'>): BrokenLink[] {
  const beginning = freezes.findIndex(({previous}) => previous !== undefined);
  const strangers = putIn(freezes);
  return freezes.flatMap((link, at): BrokenLink[] => {
    const [before, witness] = [freezes[at - 1], strangers.get(link)];
    if (witness)
      return [
        {link, of: 'freeze', rule: `was put in later: ${witness.date} names an older freeze as the one before it`},
      ];
    if (beginning < 0 || at < beginning || link.previous === before?.descriptor) return [];
    if (!before) return [{link, of: 'previous', rule: 'names a freeze before it, and there is none: it was taken out'}];
    if (link.previous === undefined) return [{link, of: 'freeze', rule: missing(before)}];
    if (strangers.has(before)) return [];
    const rule = `is not the SHA-256 of the descriptor of ${before.date}, the freeze before it: that was changed, or a freeze between the two was taken out`;
    return [{link, of: 'previous', rule}];
  });
}

function missing({date, descriptor}: Link): string {
  return `has no "previous", and stands in a chain: it was put in by hand, or the member, "${descriptor}" for ${date}, was taken out`;
}

/** The freezes between one and the older one that it names, each with the one that tells so: of several the one that names the oldest. */
function putIn(freezes: readonly Link[]): ReadonlyMap<Link, Link> {
  const places = new Map(freezes.map(({descriptor}, at) => [descriptor, at]));
  const strangers = new Map<Link, Link>();
  let oldest: {readonly named: number; readonly by: Link} | undefined;
  for (const [at, link] of [...freezes.entries()].reverse()) {
    if (oldest && oldest.named < at) strangers.set(link, oldest.by);
    const named = places.get(link.previous ?? '') ?? at;
    if (!oldest || named < oldest.named) oldest = {named, by: link};
  }
  return strangers;
}
