import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Hono} from 'hono';
import {STAGING} from '../../shared/paths.ts';
import type {GateEnv} from '../http/exact-path.ts';
import {openSite, type OpenSite} from '../site/open-site.ts';
import {SiteError} from '../site/site-error.ts';
import {stampOf} from '../site/stamp.ts';

type Gate = Hono<GateEnv>;
type MakeGate = (site: OpenSite) => Promise<Gate>;
type Tell = (line: string) => void;

/** A new build is looked for so often. */
const EVERY_MS = 1_000;
/** While a build or a copy is at work, files do not agree with one another: the publisher is told when that lasts. */
const PATIENCE_MS = 3_000;
/** A site that stays at fault is read ever more seldom. */
const SELDOM_MS = 60_000;

/** A changed site that could not be opened. */
interface Refused {
  readonly stamp: string;
  readonly since: number;
  readonly told: boolean;
  /** How long to wait before it is tried again, and until when. */
  readonly pause: number;
  readonly until: number;
}

/**
 * The gate of the build that stands on disk. It is replaced, in one assignment, when a new build opens without a fault; until then
 * the gate of the build before answers. Requests that are under way end with the gate they began with.
 */
export class CurrentGate {
  readonly #makeGate: MakeGate;
  readonly #tell: Tell;
  #site: OpenSite;
  #gate: Gate;
  #refused: Refused | undefined;
  #work: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  private constructor(site: OpenSite, gate: Gate, makeGate: MakeGate, tell: Tell) {
    [this.#site, this.#gate, this.#makeGate, this.#tell] = [site, gate, makeGate, tell];
  }

  /**
   * The gate of an open site.
   *
   * @param tell told in one line which build was taken over, or why it cannot be
   */
  static async of(site: OpenSite, makeGate: MakeGate, tell: Tell): Promise<CurrentGate> {
    return new CurrentGate(site, await makeGate(site), makeGate, tell);
  }

  /** To be asked for each request anew. */
  get gate(): Gate {
    return this.#gate;
  }

  /** The build that the gate serves. */
  get site(): OpenSite {
    return this.#site;
  }

  /** Looks for new builds from now on, without keeping the process alive. */
  watch(): void {
    let isLooking = false;
    this.#timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void this.#inTurn(() => this.#look()).finally(() => (isLooking = false));
    }, EVERY_MS).unref();
  }

  /** Takes over what stands on disk now, or tells why it cannot. */
  takeOver(): Promise<void> {
    return this.#inTurn(async () => {
      const fault = await this.#open();
      if (fault !== undefined) this.#tell(fault);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return (this.#work = this.#work.then(work));
  }

  async #look(): Promise<void> {
    const [stamp, now] = [await stampOf(this.#site.root), performance.now()];
    if (stamp === this.#site.stamp) return;
    const before = this.#refused?.stamp === stamp ? this.#refused : undefined;
    const {since = now, told = false, pause = EVERY_MS, until = now} = before ?? {};
    if (now < until) return;
    const fault = await this.#open();
    if (fault === undefined) return;
    const isTold = told || now - since >= PATIENCE_MS;
    if (isTold && !told) this.#tell(fault);
    this.#refused = {stamp, since, told: isTold, pause: Math.min(pause * 2, SELDOM_MS), until: now + pause};
  }

  /** Takes the site over, or says why not. */
  async #open(): Promise<string | undefined> {
    const {root} = this.#site;
    try {
      const site = await openSite(root);
      const gate = await this.#makeGate(site);
      // In the middle of a build, the catalogue names only what stands already, and may agree with all of that.
      if ((await stampOf(root)) !== site.stamp || existsSync(join(root, STAGING)))
        throw new SiteError(`a build is at work in ${root}, or was stopped half-way and is to be run again.`);
      [this.#site, this.#gate] = [site, gate];
      const {base_url, products} = site.catalogue;
      this.#tell(`Took over the build of ${base_url}: ${products.length} products`);
      if (site.unsigned !== undefined) this.#tell(site.unsigned);
      return undefined;
    } catch (error) {
      return `The build before is still served: ${(error as Error).message}`;
    }
  }
}
