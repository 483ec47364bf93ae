/** Does work one after the other, so that no client makes it many things at once; work that was given up while it waited never begins. */
export type Lane = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export function newLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  return function inTurn(signal, work) {
    const done = last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    last = done.catch(() => undefined);
    return done;
  };
}
