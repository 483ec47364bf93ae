import {listen} from '../../scripts/local-chain/listen.ts';
import {runScript, type Ran} from '../scripts/script-run.ts';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Runs `frozen start`, which has to fail, in this process, and removes its listeners for signals. By default its port is in use, so that it
 * also ends if it is not refused.
 */
export async function refusedStart(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  await using taken = await listen({fetch: () => new Response()});
  const known = new Set(SIGNALS.flatMap(signal => process.listeners(signal)));
  const ran = await runScript('start', args, {PORT: new URL(taken.url).port, ...env});
  for (const signal of SIGNALS)
    for (const listener of process.listeners(signal)) if (!known.has(listener)) process.off(signal, listener);
  return ran;
}
