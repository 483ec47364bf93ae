/** How much is measured: everything, which takes minutes, or a sample, which takes seconds. */
export type Extent = 'full' | 'quick';

/** The inputs of a bench. */
export interface Setting {
  readonly extent: Extent;
  /** The folder of the site that is built and served, with `data/`, `public/` and `paywall/rules/`. */
  readonly root: string;
  /** The folder of earlier code, compiled. Its builds are measured too. */
  readonly former: string | undefined;
  /** An empty folder, the only one that a bench may write to. The caller removes it after all measurements. */
  readonly folder: string;
  /** Called with the name of the current measurement. */
  readonly showProgress: (now: string) => void;
}

/** The result of a bench. */
export interface Report {
  /** Values for JSON. */
  readonly figures: object;
  /** Text: tables and the lines around them. */
  readonly text: string;
  /** Errors, such as a purchase without its document or a wrong sum of money. */
  readonly failures: readonly string[];
}

/** A bench with its name on the command line. */
export type Bench = (setting: Setting) => Promise<Report>;

/** Returns the paragraphs of a text that are not empty. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('\n\n');
}
