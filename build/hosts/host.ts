import type {PlainSite} from '../read/site.ts';
import type {Rule} from '../../shared/shapes.ts';
import type {Page} from '../pages/page.ts';

/** The site as seen by a host: its settings, the rules of paid documents, and free files that need a content type. */
export interface Hosted {
  readonly site: PlainSite;
  readonly rules: readonly Rule[];
  /** Free files whose content type cannot be derived from their name. `*` in a path matches any part of a name. */
  readonly pages: readonly Pick<Page, 'path' | 'type'>[];
}

/** The files that make a host serve the tree and charge for exactly the paid paths. */
export interface HostFiles {
  /** Text by path from the root, below `public/` or `paywall/rules/`. */
  readonly files: ReadonlyMap<string, string>;
  /** Facts for the publisher in the summary, for example `web ACL uses 160 of 1500 capacity units`. */
  readonly notes?: readonly string[];
}

/** A host: one file in this folder, whose default export is its `Host`. */
export interface Host {
  readonly name: string;
  /** The longest file that it accepts, in bytes. */
  readonly mostBytes?: number;
  /** Throws `InputError` if the host cannot express the rules. */
  compose(hosted: Hosted): HostFiles;
}
