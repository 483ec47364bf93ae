/** Returns a function that runs tasks one after the other. A failed task does not prevent the next ones. */
export function newQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return function inTurn<T>(task: () => T | Promise<T>): Promise<T> {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}
