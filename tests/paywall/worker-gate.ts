import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {mkdir, mkdtemp, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {Miniflare} from '../extra/miniflare.js';
import cloudflare from '../../build/hosts/cloudflare.ts';
import {bundleWorker} from '../../scripts/deploy/cloudflare.ts';
import {RULES_FILE} from '../../shared/paths.ts';
import {PROJECT} from '../project.ts';
import type {FixtureSite} from './fixture-site.ts';

export interface WorkerGate {
  readonly url: string;
  /** Runs the scheduled handler, as Cloudflare does every minute. */
  scheduled(): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkerGateOptions {
  readonly secrets?: Readonly<Record<string, string>>;
  /** By default the deployed Worker. */
  readonly entrypoint?: string;
  /** The folder of its ledger, which is kept. By default the ledger is removed with the Worker. */
  readonly persist?: string;
}

const WORKER = join(PROJECT, 'dist/cloudflare-worker.js');
/** Bundles by the digest of their sources. Wrangler takes two seconds for one. */
const CACHE = join(PROJECT, 'node_modules/.cache/workers');

interface Configuration {
  readonly compatibility_date: string;
  readonly compatibility_flags: string[];
  readonly assets: {
    readonly binding: string;
    readonly html_handling: 'auto-trailing-slash';
    readonly not_found_handling: '404-page';
    readonly run_worker_first: readonly string[];
  };
}

/** Serves a site in workerd, the runtime of Cloudflare, with the configuration of the generator. */
export async function startWorkerGate(
  site: Pick<FixtureSite, 'root' | 'rules'>,
  facilitatorUrl: string,
  rpcUrl?: string,
  {secrets = {}, ...options}: WorkerGateOptions = {},
): Promise<WorkerGate> {
  await writeConfiguration(site);
  const bindings = {...secrets, FROZEN_FACILITATOR_URL: facilitatorUrl, ...(rpcUrl && {FROZEN_RPC_URL: rpcUrl})};
  return startWorker(site.root, bindings, options);
}

/** Serves a site in workerd with the configuration in its folder. */
export async function startWorker(
  root: string,
  bindings: Readonly<Record<string, string>>,
  {entrypoint, persist}: Omit<WorkerGateOptions, 'secrets'> = {},
): Promise<WorkerGate> {
  const contents = await workerOf(root, entrypoint);
  const text = await readFile(join(root, 'paywall/rules/wrangler.jsonc'), 'utf8');
  const {compatibility_date, compatibility_flags, assets} = JSON.parse(text) as Configuration;
  const paths = assets.run_worker_first;
  const miniflare = new Miniflare({
    modules: [{type: 'ESModule', path: 'worker.js', contents}],
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    bindings,
    assets: {
      directory: join(root, 'public'),
      binding: assets.binding,
      assetConfig: {html_handling: assets.html_handling, not_found_handling: assets.not_found_handling},
      routerConfig: {
        has_user_worker: true,
        static_routing: {
          user_worker: paths.filter(path => !path.startsWith('!')),
          asset_worker: paths.filter(path => path.startsWith('!')).map(path => path.slice(1)),
        },
      },
    },
    durableObjects: {LEDGER: {className: 'LedgerObject', useSQLite: true}},
    ...(persist !== undefined && {durableObjectsPersist: persist}),
  });
  return {
    url: (await miniflare.ready).origin,
    async scheduled() {
      const worker = (await miniflare.getWorker()) as unknown as {scheduled(): Promise<{readonly outcome: string}>};
      assert.equal((await worker.scheduled()).outcome, 'ok');
    },
    stop: () => miniflare.dispose(),
  };
}

/** Writes the configuration of a Worker as the generator does. */
export function writeConfiguration({root, rules}: Pick<FixtureSite, 'root' | 'rules'>): Promise<void> {
  return writeFiles(root, cloudflare.compose({site: rules, rules: [], pages: []}).files);
}

/** Returns the code of the Worker with the rules of a site. */
export async function workerOf(root: string, entrypoint = WORKER): Promise<string> {
  const digest = createHash('sha256').update(entrypoint);
  for (const file of [WORKER, entrypoint, join(root, RULES_FILE)]) digest.update(await readFile(file));
  const cached = join(CACHE, digest.digest('hex'));
  return readFile(cached, 'utf8').catch(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'worker-'));
    await bundleWorker(root, folder, entrypoint);
    const [name] = entrypoint.split(/[\\/]/).slice(-1);
    const bundle = await readFile(join(folder, name?.replace(/\.ts$/, '.js') ?? ''), 'utf8');
    await rm(folder, {recursive: true});
    await mkdir(CACHE, {recursive: true});
    await writeFile(`${cached}.${process.pid}`, bundle);
    await rename(`${cached}.${process.pid}`, cached);
    return bundle;
  });
}

async function writeFiles(root: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), {recursive: true});
    await writeFile(join(root, path), text);
  }
}
