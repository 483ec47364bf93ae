import {createHash} from 'node:crypto';
import {rmSync} from 'node:fs';
import files from 'node:fs/promises';
import {syncBuiltinESMExports} from 'node:module';
import timers from 'node:timers/promises';
import {install, type Clock} from '@sinonjs/fake-timers';
import {LightFixedLengthStream, LightHeaders, LightResponse} from './light-web.ts';
import type {Random} from './random.ts';
import {BUYERS, INSTANT_FILES, requests, unlessCancelled} from './requests.ts';

/** When every simulation begins, in milliseconds since 1970. */
const START = Date.UTC(2026, 0, 1);

/** Replaces timers, clocks, random numbers and digests in this process, so that one seed determines the order of all events. */
export class VirtualTime implements Disposable {
  readonly #clock: Clock;
  readonly #restore: (() => void)[] = [];

  /** @param random for the code under test: libraries may draw a different count of numbers in a second run, which must not change other choices */
  constructor(random: Random) {
    const toNotFake = ['nextTick', 'queueMicrotask', 'hrtime'] as const;
    this.#clock = install({now: START, toNotFake: [...toNotFake], loopLimit: Number.MAX_SAFE_INTEGER});
    for (const name of ['setTimeout', 'setInterval'] as const) {
      const start = globalThis[name] as (callback: () => void, ...rest: unknown[]) => unknown;
      this.replace(globalThis, name, (callback: () => void, ...rest: unknown[]) =>
        start(unlessCancelled(callback), ...rest),
      );
    }
    for (const [name, operation] of Object.entries(INSTANT_FILES)) this.replace(files, name, operation);
    this.replace(timers, 'setTimeout', (ms: number) => new Promise(resolve => setTimeout(resolve, ms)));
    // Modules import these functions by name.
    syncBuiltinESMExports();
    this.replace(Math, 'random', () => random.integer(0, 2 ** 31 - 1) / 2 ** 31);
    this.replace(crypto, 'randomUUID', () => random.uuid());
    this.replace(crypto, 'getRandomValues', (array: Uint8Array) => {
      array.set(random.bytes(array.length));
      return array;
    });
    this.replace(globalThis, 'Headers', LightHeaders);
    this.replace(globalThis, 'Response', LightResponse);
    this.replace(globalThis, 'FixedLengthStream', LightFixedLengthStream);
    // Most errors are of viem, which expects a node to fail.
    this.replace(Error, 'stackTraceLimit', 0);
    this.replace(crypto.subtle, 'digest', (_: string, data: Uint8Array) =>
      Promise.resolve(Uint8Array.from(createHash('sha256').update(data).digest()).buffer),
    );
  }

  /** Runs timers, each with all work that follows from it, until the condition holds or the time is over. Throws if no timer is left. */
  async runUntil(condition: () => boolean, ms = Infinity): Promise<void> {
    for (const end = Date.now() + ms; ;) {
      // Until no promise is left to settle: Node runs ticks after all microtasks. A turn of the event loop would take longer.
      await new Promise<void>(resolve => {
        process.nextTick(resolve);
      });
      if (condition() || Date.now() >= end) return;
      if (this.#clock.countTimers() === 0) throw new Error('everything waits, and no timer is left');
      this.#clock.next();
    }
  }

  /** Runs timers until the work is done. Returns false if it is not done within an hour. */
  async isDone(work: Promise<void>): Promise<boolean> {
    const ended: Promise<void>[] = [];
    const end = () => ended.push(work);
    work.then(end, end);
    await this.runUntil(() => ended.length > 0, 3_600_000);
    await ended[0];
    return ended.length > 0;
  }

  /** Replaces a member of an object until this time ends. */
  replace(owner: object, name: string, value: unknown): void {
    const previous = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, {value, configurable: true, writable: true});
    this.#restore.push(() => {
      if (previous) Object.defineProperty(owner, name, previous);
      else Reflect.deleteProperty(owner, name);
    });
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restore.reverse()) restore();
    this.#clock.uninstall();
    syncBuiltinESMExports();
    requests.disable(); // otherwise Node follows every promise of the next world too
    rmSync(BUYERS, {recursive: true, force: true});
  }
}
