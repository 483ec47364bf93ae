/**
 * Returns a function that runs some work at most once in this number of milliseconds. In between, it returns the last result, even if that
 * was a failure.
 */
export function cached<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let last: {readonly at: number; readonly result: Promise<T>} | undefined;
  return () => {
    const at = performance.now();
    if (!last || at - last.at > ms) last = {at, result: work()};
    return last.result;
  };
}
