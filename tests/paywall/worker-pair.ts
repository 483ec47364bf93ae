import {join} from 'node:path';
import {Miniflare, type WorkerOptions} from '../extra/miniflare.js';
import type {FixtureSite} from './fixture-site.ts';
import {workerOf, writeConfiguration} from './worker-gate.ts';

/** Two Workers of one site in separate isolates. They share the Durable Object of the first. */
export interface WorkerPair extends AsyncDisposable {
  readonly urls: readonly string[];
}

export async function startWorkerPair(site: FixtureSite, facilitatorUrl: string, rpcUrl: string): Promise<WorkerPair> {
  await writeConfiguration(site);
  const contents = await workerOf(site.root);
  const worker = (name: string, scriptName?: string): WorkerOptions => ({
    name,
    modules: [{type: 'ESModule', path: 'worker.js', contents}],
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
    bindings: {FROZEN_FACILITATOR_URL: facilitatorUrl, FROZEN_RPC_URL: rpcUrl},
    assets: {
      directory: join(site.root, 'public'),
      binding: 'ASSETS',
      routerConfig: {has_user_worker: true, invoke_user_worker_ahead_of_assets: true},
    },
    durableObjects: {LEDGER: {className: 'LedgerObject', useSQLite: true, ...(scriptName && {scriptName})}},
    unsafeDirectSockets: [{host: '127.0.0.1', port: 0}],
  });
  const pair = new Miniflare({workers: [worker('first'), worker('second', 'first')]});
  const urls = await Promise.all(['first', 'second'].map(name => pair.unsafeGetDirectURL(name)));
  return {
    urls: urls.map(({origin}) => origin),
    [Symbol.asyncDispose]: () => pair.dispose(),
  };
}
