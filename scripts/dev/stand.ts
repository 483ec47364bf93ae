import {EventEmitter} from 'node:events';
import type {Faulty, Good} from './builder.ts';

/** The last good build, which is served, and the faults of the builds since then. */
export class Stand {
  good: Good | undefined;
  faults: string | undefined;
  /** Emits `news` after every build. */
  readonly news = new EventEmitter().setMaxListeners(0);

  take(result: Good | Faulty): void {
    if ('gate' in result) [this.good, this.faults] = [result, undefined];
    else this.faults = result.faults;
    this.news.emit('news');
  }

  /** The version that a page should be of. */
  get version(): string {
    return this.good?.version ?? '';
  }

  /** What a page is told: its version, and the faults that it should show. */
  get message(): string {
    return JSON.stringify({version: this.version, faults: this.faults});
  }
}
