import type {Both, Presence, Scalar} from './compare.ts';
import type {SchemaChange} from './schema-changes.ts';
import {plain, type Words} from './words.ts';

/** What buyers will see change between two states. */
export interface Review {
  /** Why what was compared is not what `data/` says now: a build would write other files. */
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
  readonly hosts: readonly {readonly host: string; readonly status: Presence; readonly files: readonly FileChange[]}[];
  /** Free files that belong to no product and that changed. */
  readonly files: readonly FileChange[];
  readonly notes: readonly Words[];
}

/** What may be found: a broken promise to buyers, or a warning, which a publisher should know before publishing. */
export const SEVERITIES = {
  'figures-changed': 'broken',
  'past-figures-changed': 'broken',
  'rows-changed': 'broken',
  'breaking-schema': 'broken',
  'product-removed': 'broken',
  'pass-shortened': 'broken',
  'chain-rewritten': 'broken',
  renamed: 'warning',
  'as-of-back': 'warning',
  'price-changed': 'warning',
  'share-moved': 'warning',
  'shape-changed': 'warning',
  'classes-opened': 'warning',
  'history-gone': 'warning',
  'payment-changed': 'warning',
  'address-changed': 'warning',
  'key-changed': 'warning',
  'not-gated': 'warning',
  'paid-unseen': 'warning',
  'edition-gone': 'warning',
  'edition-changed': 'warning',
} as const;

export interface Finding {
  readonly severity: 'broken' | 'warning';
  readonly code: keyof typeof SEVERITIES;
  readonly product?: string;
  /** Of a chain. */
  readonly source?: string;
  readonly says: Words;
}

export interface ProductReview {
  readonly name: string;
  readonly title: string;
  readonly status: Presence;
  readonly kind: string;
  /** Its sources, as its sample names them; of a product that did not change they are not read. */
  readonly sources: readonly string[];
  readonly price: Both<string>;
  readonly as_of: Both<string>;
  readonly figures: readonly FigureChange[];
  readonly figures_unchanged: number;
  /** Points of the history whose figures are no longer what they were. */
  readonly past: readonly {readonly as_of: string; readonly figures: readonly FigureChange[]}[];
  readonly history: {readonly came: readonly string[]; readonly went: readonly string[]};
  readonly goods: GoodsChange | undefined;
  readonly lists: readonly ListChange[];
  readonly texts: readonly TextChange[];
  /** Texts and lists that tell of the rows as figures do, and differ where both states have them: groups, members of a document. */
  readonly members: readonly string[];
  readonly schemas: readonly SchemaChange[];
}

export interface FigureChange extends Both<Scalar> {
  /** e.g. `counts.fraud` */
  readonly path: string;
  /** Whether it is a number from 0 to 1 by its schema. */
  readonly share: boolean;
  readonly difference?: number | undefined;
  /** `difference / |before|`. */
  readonly relative?: number | undefined;
}

export interface TextChange extends Both<string> {
  readonly path: string;
}

/** Entries of a list in a document, as JSON; at most as many as asked for, the others counted. */
export interface ListChange {
  readonly path: string;
  readonly came: Some<string>;
  readonly went: Some<string>;
}

/** The first few of many. */
export interface Some<T> {
  readonly shown: readonly T[];
  readonly total: number;
}

/** What changed in the rows or events that are sold. */
export interface GoodsChange {
  readonly member: 'rows' | 'events';
  /** The columns that tell rows apart; none where only all of a row does. */
  readonly key: readonly string[];
  /** How many the paid document lists, and of how many. */
  readonly listed: {readonly before: number; readonly after: number};
  readonly total: {readonly before: number; readonly after: number};
  readonly came: Some<Row>;
  readonly went: Some<Row>;
  /** Rows in which other columns changed than those that changed everywhere. */
  readonly changed: Some<{readonly key: string; readonly columns: readonly ColumnChange[]}>;
  /** Columns that changed in every row that both documents have, with the values of the first. */
  readonly everywhere: readonly ColumnChange[];
}

export type ColumnChange = Both<unknown> & {readonly column: string};

export type Row = Readonly<Record<string, unknown>>;

export interface FileChange {
  readonly path: string;
  readonly status: Presence;
}

/** The review's verdict: what is stale shows nothing of what will be published. */
export function isBroken({stale, findings}: Review): boolean {
  return stale !== undefined || findings.some(({severity}) => severity === 'broken');
}

/** The review for programs; sentences as text. */
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
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** Whether buyers see any change. */
export function isUnchanged({findings, site, products, rules, hosts, files}: Review): boolean {
  const changed = [...products, ...rules, ...hosts, ...files].some(({status}) => status !== 'unchanged');
  return !changed && findings.length === 0 && site.length === 0;
}

/** The first few, and how many there are. */
export function some<T>(items: readonly T[], limit: number): Some<T> {
  return {shown: items.slice(0, limit), total: items.length};
}
