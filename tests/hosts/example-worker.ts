import {EXAMPLE} from '../example/example.ts';
import {startWorker} from '../paywall/worker-gate.ts';

/** Starts the example site in the real runtime of Cloudflare, with the generated configuration, headers and files. */
export async function exampleWorker() {
  const worker = await startWorker(EXAMPLE, {});
  return {url: worker.url, [Symbol.asyncDispose]: () => worker.stop()};
}
