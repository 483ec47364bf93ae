import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Hono} from 'hono';
import {counted} from '../../shared/counted.ts';
import {STAGING} from '../../shared/paths.ts';
import type {GateEnv} from '../http/gate-env.ts';
import {openSite, type OpenSite} from '../site/open-site.ts';
import {SiteError} from '../site/site-error.ts';
import {stampOf} from '../site/stamp.ts';
import {repeat} from './repeat.ts';

type Gate = Hono<GateEnv>;
type MakeGate = (site: OpenSite) => Promise<Gate>;
type Report = (line: string) => void;

const CHECK_EVERY_MS = 2_000;

/**
 * The gate of the latest build on disk. A new build that opens without errors replaces the gate in one assignment; until then, the gate of
 * the previous build answers. Running requests end with the gate that they started with.
 */
export class CurrentGate {
  readonly #makeGate: MakeGate;
  readonly #report: Report;
  #site: OpenSite;
  #gate: Gate;
  /** A changed site that could not be opened. */
  #refused = {stamp: '', isReported: false};
  #work: Promise<void> = Promise.resolve();
  #stopChecking: () => Promise<void> = () => Promise.resolve();

  private constructor(site: OpenSite, gate: Gate, makeGate: MakeGate, report: Report) {
    [this.#site, this.#gate, this.#makeGate, this.#report] = [site, gate, makeGate, report];
  }

  /**
   * Creates the gate of an open site.
   *
   * @param report receives one line about the build that was loaded, or why it was not
   */
  static async of(site: OpenSite, makeGate: MakeGate, report: Report): Promise<CurrentGate> {
    return new CurrentGate(site, await makeGate(site), makeGate, report);
  }

  /** The gate for a request that begins now. */
  get gate(): Gate {
    return this.#gate;
  }

  /** The build that the gate serves. */
  get site(): OpenSite {
    return this.#site;
  }

  /** Checks for new builds every few seconds, without keeping the process alive. */
  watch(): void {
    this.#stopChecking = repeat(CHECK_EVERY_MS, () => this.#inTurn(() => this.#check()));
  }

  /** Loads the build on disk, or reports why it cannot. */
  takeOver(): Promise<void> {
    return this.#inTurn(async () => {
      const fault = await this.#open();
      if (fault !== undefined) this.#report(fault);
    });
  }

  stop(): void {
    void this.#stopChecking();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return (this.#work = this.#work.then(work));
  }

  /** Loads a changed build. An error is reported once, if the next check finds it too, because files do not match while a build runs. */
  async #check(): Promise<void> {
    const stamp = await stampOf(this.#site.root);
    if (stamp === this.#site.stamp) return;
    const fault = await this.#open();
    if (fault === undefined) return;
    const {isReported} = this.#refused;
    const isRepeated = this.#refused.stamp === stamp;
    if (isRepeated && !isReported) this.#report(fault);
    this.#refused = {stamp, isReported: isRepeated};
  }

  /** Loads the build on disk, or returns why it cannot. */
  async #open(): Promise<string | undefined> {
    const {root} = this.#site;
    try {
      const site = await openSite(root);
      const gate = await this.#makeGate(site);
      // A build may have begun since the site was opened, or was killed before its last file.
      if ((await stampOf(root)) !== site.stamp || existsSync(join(root, STAGING)))
        throw new SiteError('FZ402', `a build is running in ${root}, or was interrupted.`, {fix: 'Run it again.'});
      [this.#site, this.#gate] = [site, gate];
      const {base_url, products} = site.catalogue;
      this.#report(`Serving the new build of ${base_url}: ${counted(products.length, 'product')}`);
      if (site.unsigned !== undefined) this.#report(site.unsigned);
      return undefined;
    } catch (error) {
      const {message, fix} = error as Error & Partial<SiteError>;
      return `The previous build is still served: ${message}${fix === undefined ? '' : ` ${fix}`}`;
    }
  }
}
