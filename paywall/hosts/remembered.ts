/** Returns a function that does some work at most once in so many milliseconds. In between it returns the last result, also a failure. */
export function remembered<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let last: {readonly at: number; readonly result: Promise<T>} | undefined;
  return () => {
    const at = performance.now();
    if (!last || at - last.at > ms) last = {at, result: work()};
    return last.result;
  };
}
