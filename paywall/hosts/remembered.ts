/** The same work, done at most once in so many milliseconds: whoever asks in between gets what came of it then, failures too. */
export function remembered<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let last: {readonly at: number; readonly result: Promise<T>} | undefined;
  return () => {
    const at = performance.now();
    if (!last || at - last.at > ms) last = {at, result: work()};
    return last.result;
  };
}
