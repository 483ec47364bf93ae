import {hash} from 'node:crypto';
import {existsSync} from 'node:fs';
import type {Hono} from 'hono';
import {build, type Built} from '../../build/build.ts';
import type {GateEnv} from '../../paywall/http/gate-env.ts';
import {createGate} from '../../paywall/http/gate.ts';
import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {recoverOnNode} from '../../paywall/hosts/recover.ts';
import {HttpFacilitator} from '../../paywall/payments/facilitator/http-facilitator.ts';
import {openServices} from '../../paywall/payments/open-services.ts';
import {openSite, type OpenSite} from '../../paywall/site/open-site.ts';
import {InputError} from '../../shared/fault.ts';
import {cacheFolder} from '../build/cache-folder.ts';
import {linesOf} from '../terminal/faults.ts';
import {EventEmitter} from 'node:events';

/** A built site and its gate. */
export interface BuiltSite {
  readonly built: Built;
  readonly site: OpenSite;
  readonly gate: Hono<GateEnv>;
  /** A digest of catalogue and rules. */
  readonly version: string;
}

/** A site that is built repeatedly: its last successful build, which is served, and the errors since then. */
export class Preview {
  lastBuild: BuiltSite | undefined;
  faults: string | undefined;
  /** Emits `news` after every build. */
  readonly news = new EventEmitter().setMaxListeners(0);
  /** In memory, because the preview takes only test money. */
  readonly #ledger = openSqlite(':memory:');
  readonly #root: string;
  readonly #onError: (error: Error) => void;

  constructor(root: string, onError: (error: Error) => void) {
    [this.#root, this.#onError] = [root, onError];
  }

  /** Returns the build, or its errors and whether all are in `data/`. Throws `InputError` if the folder of the site no longer exists. */
  async build(): Promise<BuiltSite | {readonly faults: string; readonly isInData: boolean}> {
    // A build would create the folder again for its lock.
    if (!existsSync(this.#root)) throw new InputError({code: 'FZ201', file: this.#root, rule: 'was removed'});
    try {
      this.lastBuild = await this.#opened(await build({root: this.#root, home: await cacheFolder()}));
      this.faults = undefined;
      return this.lastBuild;
    } catch (error) {
      const faults = linesOf(error);
      if (faults === undefined) throw error;
      this.faults = faults;
      const isInData = error instanceof InputError && error.faults.every(({file}) => file?.startsWith('data/'));
      return {faults, isInData};
    } finally {
      this.news.emit('news');
    }
  }

  async #opened(built: Built): Promise<BuiltSite> {
    const site = await openSite(this.#root);
    const services = openServices({
      ledger: await this.#ledger,
      facilitator: new HttpFacilitator(site.rules.payment.facilitator_url),
      recover: recoverOnNode,
      keepAlive: () => undefined,
    });
    const gate = createGate({...site, services, onError: this.#onError});
    return {built, site, gate, version: hash('sha256', JSON.stringify([site.catalogue, site.rules]))};
  }
}
