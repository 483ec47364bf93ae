import {encode} from '../../shared/encode.ts';
import type {Both, Presence, Scalar} from './compare.ts';
import type {SchemaChange} from './schema-changes.ts';
import {plain, type Words} from './words.ts';

/** The differences between two revisions, as buyers see them. */
export interface Review {
  /** Why the build is stale, if it is: a build of the current `data/` would write other files. */
  readonly stale: Words | undefined;
  readonly base: string;
  readonly head: string;
  /** Broken promises first. */
  readonly findings: readonly Finding[];
  readonly site: readonly TextChange[];
  readonly products: readonly ProductReview[];
  readonly rules: readonly {
    readonly name: string;
    readonly status: Presence;
    readonly path: Both<string>;
    readonly price: Both<string>;
  }[];
  /** Changed free files that belong to no product. */
  readonly files: readonly {readonly path: string; readonly status: Presence}[];
  readonly notes: readonly Words[];
}

/** The kinds of findings: a broken promise to buyers, or a warning for the publisher. */
const SEVERITIES = {
  'figures-changed': 'broken',
  'past-figures-changed': 'broken',
  'rows-changed': 'broken',
  'breaking-schema': 'broken',
  'kind-changed': 'broken',
  'product-removed': 'broken',
  'pass-shortened': 'broken',
  'chain-rewritten': 'broken',
  renamed: 'warning',
  'as-of-back': 'warning',
  'price-changed': 'warning',
  'share-moved': 'warning',
  'shape-changed': 'warning',
  'history-gone': 'warning',
  'history-inserted': 'warning',
  'payment-changed': 'warning',
  'address-changed': 'warning',
  'key-changed': 'warning',
  'not-gated': 'warning',
  'paid-unseen': 'warning',
  'edition-gone': 'warning',
  'edition-changed': 'warning',
  'texts-changed': 'warning',
} as const;

export interface Finding {
  readonly severity: 'broken' | 'warning';
  readonly code: keyof typeof SEVERITIES;
  readonly product?: string;
  /** Set for findings about a chain. */
  readonly source?: string;
  readonly says: Words;
}

/** Returns a finding with the severity of its kind. */
export function finding(code: Finding['code'], says: Words, on: Pick<Finding, 'product' | 'source'> = {}): Finding {
  return {severity: SEVERITIES[code], code, ...on, says};
}

export interface ProductReview {
  readonly name: string;
  readonly title: string;
  readonly status: Presence;
  readonly kind: Both<string>;
  /** Its sources, as named in the sample; empty if the product did not change. */
  readonly sources: readonly string[];
  readonly price: Both<string>;
  readonly as_of: Both<string>;
  readonly figures: readonly FigureChange[];
  readonly figures_unchanged: number;
  /** Points of the history with changed figures. */
  readonly past: readonly {readonly as_of: string; readonly figures: readonly FigureChange[]}[];
  readonly history: {readonly added: readonly string[]; readonly removed: readonly string[]};
  readonly rows: RowsChange | undefined;
  /** Changed lists of objects in a document: groups, examples, the documents in a bundle. */
  readonly tables: readonly RowsChange[];
  readonly lists: readonly ListChange[];
  readonly texts: readonly TextChange[];
  /** Texts and lists that describe the rows, as figures do, and that changed: groups, members of a document. */
  readonly members: readonly string[];
  readonly schemas: readonly SchemaChange[];
}

export interface FigureChange extends Both<Scalar> {
  /** For example `counts.fraud`. */
  readonly path: string;
  /** True for a number from 0 to 1 whose name ends in "ratio" or "share". */
  readonly share: boolean;
  readonly difference?: number | undefined;
  /** `difference / |before|`. */
  readonly relative?: number | undefined;
}

export interface TextChange extends Both<string> {
  readonly path: string;
}

/** Changed entries of a list in a document, as JSON. */
export interface ListChange {
  readonly path: string;
  readonly added: Some<string>;
  readonly removed: Some<string>;
}

/** The first items, and the number of all items. */
export interface Some<T> {
  readonly shown: readonly T[];
  readonly total: number;
}

/** The changes of the rows or events for sale, or of another list of objects. */
export interface RowsChange {
  readonly member: string;
  /** The columns that identify rows; empty if only whole rows do. */
  readonly key: readonly string[];
  /** The number of rows in the paid document; `total` is the number of rows in the list. */
  readonly listed: {readonly before: number; readonly after: number};
  readonly total: {readonly before: number; readonly after: number};
  readonly added: Some<Row>;
  readonly removed: Some<Row>;
  /** Rows with changes in columns other than those in `everywhere`. */
  readonly changed: Some<{readonly key: string; readonly columns: readonly ColumnChange[]}>;
  /** Columns that changed in all rows of both documents, with the values of the first row. */
  readonly everywhere: readonly ColumnChange[];
}

export type ColumnChange = Both<unknown> & {readonly column: string};

export type Row = Readonly<Record<string, unknown>>;

/** True if the review fails: a promise is broken, or the build is stale, so that it does not show what would be published. */
export function isBroken({stale, findings}: Review): boolean {
  return stale !== undefined || findings.some(({severity}) => severity === 'broken');
}

/** Returns the review as JSON, with sentences as plain text. */
export function json(review: Review): string {
  const findings = review.findings.map(finding => ({...finding, says: plain(finding.says)}));
  const stale = review.stale && plain(review.stale);
  const whole = {
    ...(stale === undefined ? {} : {stale}),
    ok: !isBroken(review),
    ...review,
    stale,
    findings,
    notes: review.notes.map(plain),
  };
  return encode(whole);
}

/** True if buyers will see no change and there is nothing to report. */
export function isUnchanged({findings, site, products, rules, files}: Review): boolean {
  const changed = [...products, ...rules, ...files].some(({status}) => status !== 'unchanged');
  return !changed && findings.length === 0 && site.length === 0;
}

/** Returns the first items, and the number of all items. */
export function some<T>(items: readonly T[], limit: number): Some<T> {
  return {shown: items.slice(0, limit), total: items.length};
}
