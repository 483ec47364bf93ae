import {openSqlite} from '../../paywall/ledger/sqlite.ts';
import {serveSite, type ServeOptions} from '../../paywall/hosts/node.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import type {Listening} from './listen.ts';

/** Options of a gate. By default, it has a free port and a ledger in memory. */
export type GateOptions = Partial<Omit<ServeOptions, 'host' | 'facilitatorUrl'>>;

/** Starts the gate as `frozen start` does, with a given facilitator. */
export async function startGate(root: string, facilitatorUrl: string, options: GateOptions = {}): Promise<Listening> {
  const site = await openSite(root);
  const ledger = options.ledger ?? (await openSqlite(':memory:'));
  const running = await serveSite(site, {
    port: 0,
    host: '127.0.0.1',
    facilitatorUrl,
    onError: console.error,
    ...options,
    ledger,
  });
  const stop = async () => {
    await running.stop();
    if (!options.ledger) await ledger.close();
  };
  return {url: running.url, stop, [Symbol.asyncDispose]: stop};
}
