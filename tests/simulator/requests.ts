import {AsyncLocalStorage} from 'node:async_hooks';

/** The time for which `waitUntil` keeps a request alive after its client is gone, in milliseconds. */
const HELD_MS = 30_000;

/**
 * A request in the runtime of Workers. After its client has the response or has hung up, and all promises of `waitUntil` have settled, its
 * timers no longer run, so nothing that it awaits completes.
 */
export class WorkerRequest {
  /** Called before each operation on files. */
  onStep: () => void = () => undefined;
  readonly #heldMs: number;
  #held = 0;
  #endedAt: number | undefined;
  #isCancelled = false;

  constructor(heldMs = HELD_MS) {
    this.#heldMs = heldMs;
  }

  waitUntil(work: Promise<unknown>): void {
    this.#held += 1;
    const release = () => (this.#held -= 1);
    work.then(release, release);
  }

  /** The client has the answer, or has hung up. */
  end(): void {
    this.#endedAt = Date.now();
  }

  get isCancelled(): boolean {
    if (this.#endedAt !== undefined && (this.#held === 0 || Date.now() > this.#endedAt + this.#heldMs))
      this.#isCancelled = true;
    return this.#isCancelled;
  }
}

/** The request that the current code works for. */
export const requests = new AsyncLocalStorage<WorkerRequest | undefined>();

/** Works for a request. Node follows every promise from the first `run` on, which takes time. Worlds without Workers never need it. */
export function workFor<Result>(request: WorkerRequest | undefined, work: () => Result): Result {
  return request === requests.getStore() ? work() : requests.run(request, work);
}

/** Returns a callback of a timer that does not run once the current request is cancelled. */
export function unlessCancelled<Args extends unknown[]>(callback: (...args: Args) => void): (...args: Args) => void {
  const request = requests.getStore();
  if (!request) return callback;
  return (...args) => {
    if (!request.isCancelled) requests.run(request, callback, ...args);
  };
}
