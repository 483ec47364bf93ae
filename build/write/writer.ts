import {writeFileSync} from 'node:fs';
import {Worker} from 'node:worker_threads';

/** So many files are written before a thread has started. */
export const FEW = 200;
/** How many characters the thread is handed at a time. */
const BATCH = 1 << 18;
/** How many batches may wait for a slow disk; what makes more has to wait with them, for they fill the memory. */
const MOST_WAITING = 32;
const PATIENCE_MS = 1000;

/** Writes files into folders that are there; many of them in a thread, beside what makes them. */
export class Writer {
  #written = 0;
  #batch: [path: string, text: string][] = [];
  #length = 0;
  #posted = 0;
  /** How many batches the thread is done with. */
  readonly #done = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #worker: Worker | undefined;
  #ended: Promise<void> | undefined;

  /** Throws the system's error where a file cannot be written, or `end` does. */
  write(path: string, text: string): void {
    this.#written += 1;
    if (this.#written <= FEW || text.length > BATCH) {
      writeFileSync(path, text);
      return;
    }
    this.#batch.push([path, text]);
    this.#length += text.length;
    if (this.#length >= BATCH) this.#post();
  }

  /** Waits until all is written. Throws the system's error where a file could not be. */
  async end(): Promise<void> {
    if (this.#batch.length > 0) this.#post();
    this.#worker?.postMessage('end');
    await this.#ended;
  }

  /** Writes nothing further. */
  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #post(): void {
    this.#worker ??= this.#start();
    const done = Atomics.load(this.#done, 0);
    if (this.#posted - done >= MOST_WAITING) Atomics.wait(this.#done, 0, done, PATIENCE_MS);
    this.#worker.postMessage(this.#batch);
    this.#posted += 1;
    [this.#batch, this.#length] = [[], 0];
  }

  #start(): Worker {
    const worker = new Worker(new URL('writer-worker.js', import.meta.url), {
      execArgv: [],
      workerData: this.#done,
      // What it is handed it needs once.
      resourceLimits: {maxYoungGenerationSizeMb: 4},
    });
    this.#ended = new Promise((resolve, reject) => {
      worker.on('error', reject);
      worker.on('exit', () => {
        resolve();
      });
    });
    // Whether it failed is asked at the end.
    this.#ended.catch(() => undefined);
    return worker;
  }
}
