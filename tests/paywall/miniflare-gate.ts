import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {Miniflare} from '../extra/miniflare.js';
import type {FixtureSite} from './fixture-site.ts';
import {workerOf, writeConfiguration} from './worker-gate.ts';

export interface MiniflareGate {
  readonly url: string;
  /** Runs the scheduled handler, as Cloudflare does every minute. */
  scheduled(): Promise<void>;
  /** Stops it, and returns the log of the Worker. */
  stop(): Promise<string>;
}

/** The Worker without the proxy of wrangler and the router of assets, because neither forwards a disconnection. */
export async function startMiniflareGate(
  site: FixtureSite,
  bindings: Readonly<Record<string, string>>,
): Promise<MiniflareGate> {
  await writeConfiguration(site);
  const contents = await workerOf(site.root);
  const log: string[] = [];
  const miniflare = new Miniflare({
    modules: [{type: 'ESModule', path: 'worker.js', contents}],
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
    bindings,
    serviceBindings: {
      ASSETS: async request =>
        new Response(await readFile(join(site.root, 'public', new URL(request.url).pathname))) as never,
    },
    durableObjects: {LEDGER: {className: 'LedgerObject', useSQLite: true}},
    unsafeDirectSockets: [{host: '127.0.0.1', port: 0}],
    handleRuntimeStdio(out, err) {
      for (const stream of [out, err]) stream.on('data', chunk => log.push(String(chunk)));
    },
  });
  return {
    url: (await miniflare.unsafeGetDirectURL()).origin,
    async scheduled() {
      const worker = (await miniflare.getWorker()) as unknown as {scheduled(): Promise<unknown>};
      await worker.scheduled();
    },
    async stop() {
      await miniflare.dispose();
      return log.join('');
    },
  };
}
