import {join} from 'node:path';
import {unstable_startWorker} from '../extra/wrangler.js';
import {EXAMPLE} from '../example/example.ts';
import {PROJECT} from '../project.ts';

/** The example site in the real runtime of Cloudflare, over the generated configuration, headers and files. */
export async function exampleWorker() {
  const rules = join(EXAMPLE, 'paywall/rules');
  const worker = await unstable_startWorker({
    config: join(rules, 'wrangler.jsonc'),
    entrypoint: join(PROJECT, 'paywall/hosts/worker.ts'),
    build: {nodejsCompatMode: 'v2', alias: {'#rules': join(rules, 'rules.json')}},
    // It calls a request line that is none an error, and `verify` sends such ones.
    dev: {server: {port: 0, hostname: '127.0.0.1'}, inspector: false, logLevel: 'none', watch: false, persist: false},
  });
  await worker.ready;
  return {url: (await worker.url).origin, [Symbol.asyncDispose]: () => worker.dispose()};
}
