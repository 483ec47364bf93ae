import {AsyncLocalStorage} from 'node:async_hooks';
import fs from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A request of a Worker. After its client has the response or has hung up, and `waitUntil` has no work left, its timers never run. */
export class WorkerRequest {
  /** Called before each operation on files. */
  onStep: () => void = () => undefined;
  readonly #heldMs: number;
  #held = 0;
  #endedAt: number | undefined;
  #isCancelled = false;

  /** @param heldMs the time for which `waitUntil` keeps a request alive after its client is gone, in milliseconds */
  constructor(heldMs = 30_000) {
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

/** Contains the folders of the buyers that run `frozen buy`, until a simulation ends. */
export const BUYERS = join(tmpdir(), `simulated-buyers-${process.pid}`);

/** Waits for ever if the program that the current code belongs to has ended. */
function instant(work: (...args: never[]) => unknown) {
  return async (...args: unknown[]) => {
    const program = requests.getStore();
    program?.onStep();
    if (program?.isCancelled) await new Promise(() => undefined);
    return work(...(args as never[]));
  };
}

/** The functions of `node:fs/promises` that `frozen buy` uses. They take no real time, and a program that has ended changes nothing. */
export const INSTANT_FILES = {
  readFile: instant(fs.readFileSync),
  readdir: instant(fs.readdirSync),
  mkdir: instant(fs.mkdirSync),
  rename: instant(fs.renameSync),
  rm: instant(fs.rmSync),
  open: instant((path: string) => ({
    writeFile: instant((content: string | Uint8Array) => {
      fs.writeFileSync(path, content);
    }),
    sync: instant(() => undefined),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  })),
};
