import {serveSite} from '../../paywall/hosts/node.ts';
import {openSite} from '../../paywall/site/open-site.ts';
import type {Listening} from './listen.ts';

/** Starts the gate as `frozen start` does, over the site below `root`, on a free port and with a facilitator of choice. */
export async function startGate(root: string, facilitatorUrl: string): Promise<Listening> {
  const site = await openSite(root);
  const options = {port: 0, host: '127.0.0.1', facilitatorUrl, onError: console.error};
  const running = await serveSite(site, options);
  const stop = () => running.stop();
  return {url: running.url, stop, [Symbol.asyncDispose]: stop};
}
