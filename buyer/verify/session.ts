import {dirname, join} from 'node:path';
import type {BuildInput} from '../../build/plan.ts';
import {DEFAULTS} from './bounds.ts';
import {Examiner} from './examiner.ts';
import {openFolder} from './folder.ts';
import type {Recomputed} from './recompute.ts';
import type {SiteReader} from './site-reader.ts';
import {isAddress, originOf, Web} from './web.ts';

/** Time limits of a verification, in seconds. */
export interface TimeLimits {
  /** For one request; by default 10. */
  readonly requestTimeout?: number | undefined;
  /** For all checks; by default 600. */
  readonly totalTimeout?: number | undefined;
}

export interface CheckOptions extends TimeLimits {
  /** The folder `data/` from which all figures are computed again. */
  readonly data?: string | undefined;
  /** The key that signs the site: its `kid`, its `x`, or a file with it. */
  readonly siteKey?: string | undefined;
  readonly progress?: BuildInput['progress'];
}

/** The shared parts of a verification: its time limit, its process for untrusted input, and its connections. */
export class Session implements AsyncDisposable {
  /** Aborts when the time for all checks is over. */
  readonly until: AbortSignal;
  readonly examiner: Examiner;
  readonly #requestTimeout: number;

  constructor({requestTimeout = DEFAULTS.requestTimeout, totalTimeout = DEFAULTS.totalTimeout}: TimeLimits) {
    this.until = AbortSignal.timeout(totalTimeout * 1000);
    this.examiner = new Examiner(this.until);
    this.#requestTimeout = requestTimeout;
  }

  openWeb(origin: string): Web {
    return new Web(origin, this.#requestTimeout, this.until);
  }

  /** Opens a site in a folder or at an origin. Throws `InputError` if it is neither. */
  async openSite(target: string): Promise<SiteReader> {
    if (!isAddress(target)) return openFolder(target, this.examiner, this.until);
    const {openOrigin} = await import('./origin.ts');
    return openOrigin(this.openWeb(originOf(target)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.examiner[Symbol.asyncDispose]();
  }
}

/** Computes the tree of a site from its folder `data/`, if given. The import is dynamic, because it takes long. */
export async function recomputedFrom({data, progress}: CheckOptions): Promise<Recomputed | undefined> {
  if (data === undefined) return undefined;
  const {recompute} = await import('./recompute.ts');
  return recompute({root: dirname(join(data, '.')), progress});
}
