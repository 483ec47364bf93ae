/** How much is measured: everything, in minutes, or a taste, in seconds. */
export type Extent = 'full' | 'quick';

/** What a bench gets to work with. */
export interface Setting {
  readonly extent: Extent;
  /** The folder that holds `public/` and `paywall/rules/` of the site that is started and served. */
  readonly root: string;
  /** An empty folder, all that a bench may write to. Whoever made it removes it, once nothing is measured any more. */
  readonly folder: string;
  /** Told what is being measured now. */
  readonly tell: (now: string) => void;
}

/** What a bench found out. */
export interface Report {
  /** For programs: what JSON can hold. */
  readonly figures: object;
  /** For people: tables and the lines around them. */
  readonly text: string;
  /** What went wrong that must not: a purchase without its document, money that does not add up. */
  readonly failures: readonly string[];
}

/** One bench: a name of the command line. */
export type Bench = (setting: Setting) => Promise<Report>;

/** The paragraphs of a text that say something. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('\n\n');
}
