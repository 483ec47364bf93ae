import {setTimeout} from 'node:timers/promises';

/** Does some work again and again, with a pause, without keeping the process alive. What it returns resolves when no more is done. */
export function repeat(pauseMs: number, work: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const over = new AbortController();
  const {signal} = over;
  const working = (async () => {
    while (await setTimeout(pauseMs, true, {signal, ref: false}).catch(() => false)) await work(signal);
  })();
  return () => {
    over.abort();
    return working;
  };
}
