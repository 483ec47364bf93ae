/** Runs tasks one after the other, so that a client cannot start many at once. A task that was cancelled while it waited never starts. */
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
