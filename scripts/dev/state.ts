import {EventEmitter} from 'node:events';
import type {Faulty, Good} from './builder.ts';

/** The last successful build, which is served, and the errors since then. */
export class DevState {
  good: Good | undefined;
  faults: string | undefined;
  /** Emits `news` after every build. */
  readonly news = new EventEmitter().setMaxListeners(0);

  take(result: Good | Faulty): void {
    if ('gate' in result) [this.good, this.faults] = [result, undefined];
    else this.faults = result.faults;
    this.news.emit('news');
  }

  /** The version that pages should have. */
  get version(): string {
    return this.good?.version ?? '';
  }

  /** The event for pages: the current version, and the errors to show. */
  get message(): string {
    return JSON.stringify({version: this.version, faults: this.faults});
  }
}
