import {mkdir, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {unstable_startWorker} from '../extra/wrangler.js';
import cloudflare from '../../build/hosts/cloudflare.ts';
import type {FixtureSite} from './fixture-site.ts';

const project = resolve(import.meta.dirname, '../..');

export interface WorkerGate {
  readonly url: string;
  /** Runs what Cloudflare runs every minute. */
  scheduled(): Promise<string>;
  stop(): Promise<void>;
}

export interface WorkerGateOptions {
  readonly secrets?: Readonly<Record<string, string>>;
  /** By default the Worker as it is deployed. */
  readonly entrypoint?: string;
  /** The folder of its ledger, which stays; by default it ends with the Worker. */
  readonly persist?: string;
}

const WORKER = join(project, 'dist/cloudflare-worker.js');

/** Serves a site in workerd, the runtime of Cloudflare, configured as the generator would. */
export async function startWorkerGate(
  site: Pick<FixtureSite, 'root' | 'rules'>,
  facilitatorUrl: string,
  rpcUrl?: string,
  {secrets = {}, entrypoint = WORKER, persist}: WorkerGateOptions = {},
): Promise<WorkerGate> {
  const {files} = cloudflare.compose({site: site.rules, rules: [], pages: []});
  await writeFiles(site.root, files);
  const named = Object.entries(secrets).map(([name, value]) => [name, {type: 'secret_text', value}] as const);
  const worker = await unstable_startWorker({
    config: join(site.root, 'paywall/rules/wrangler.jsonc'),
    entrypoint,
    build: {minify: true, nodejsCompatMode: 'v2', alias: {'#rules': join(site.root, 'paywall/rules/rules.json')}},
    bindings: {
      ...Object.fromEntries(named),
      FROZEN_FACILITATOR_URL: {type: 'plain_text', value: facilitatorUrl},
      ...(rpcUrl && {FROZEN_RPC_URL: {type: 'plain_text', value: rpcUrl}}),
    },
    dev: {
      testScheduled: true,
      server: {port: 0, hostname: '127.0.0.1'},
      inspector: false,
      logLevel: 'none',
      watch: false,
      persist: persist ?? false,
    },
  });
  await worker.ready;
  const {origin} = await worker.url;
  return {
    url: origin,
    async scheduled() {
      const response = await fetch(`${origin}/__scheduled`);
      return response.text();
    },
    stop: () => worker.dispose(),
  };
}

export async function writeFiles(root: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), {recursive: true});
    await writeFile(join(root, path), text);
  }
}
