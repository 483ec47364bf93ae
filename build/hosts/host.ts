import type {PlainSite} from '../read/site.ts';
import type {Rule} from '../../shared/shapes.ts';
import type {Page} from '../pages/page.ts';

/** What a host is told about the tree: the site, what is paid and what is free. */
export interface Hosted {
  readonly site: PlainSite;
  readonly rules: readonly Rule[];
  /** Free files whose content type a host may not guess from their names; `*` in a path stands for any part of a name. */
  readonly pages: readonly Pick<Page, 'path' | 'type'>[];
}

/** The files that make one host serve the tree and ask for money on exactly the paid paths. */
export interface HostFiles {
  /** Text by path from the root: below `public/` or `paywall/rules/`. */
  readonly files: ReadonlyMap<string, string>;
  /** Facts a publisher wants to see in the summary, e.g. `web ACL uses 160 of 1500 capacity units`. */
  readonly notes?: readonly string[];
}

/** A host: one file in this folder, whose default export is its `Host`. */
export interface Host {
  readonly name: string;
  /** The longest file that it takes. */
  readonly mostBytes?: number;
  /** Throws `InputError` where the rules cannot be expressed on this host. */
  compose(hosted: Hosted): HostFiles;
}
