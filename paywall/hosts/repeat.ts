import {setTimeout} from 'node:timers/promises';

/** Repeats some work with a pause, without keeping the process alive. Returns a function that stops it, and resolves when it has stopped. */
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
