import {printable} from '../../shared/printable.ts';

const QUIET_MS = 1000;
const EVERY_MS = 100;

/** A status line on a terminal that shows the progress of work after one second. Does nothing without a terminal. */
export class StatusLine {
  readonly #terminal: NodeJS.WriteStream | undefined;
  readonly #started = performance.now();
  #shown = 0;

  /** @param terminal is not given if nothing is to be shown */
  constructor(terminal: NodeJS.WriteStream | undefined) {
    this.#terminal = terminal;
  }

  /** @param text is asked for only when it is shown */
  show(text: () => string): void {
    const now = performance.now();
    if (!this.#terminal?.isTTY || now - this.#started < QUIET_MS || now - this.#shown < EVERY_MS) return;
    this.#shown = now;
    this.#terminal.cursorTo(0);
    this.#terminal.write(printable(text()).slice(0, this.#terminal.columns - 1));
    this.#terminal.clearLine(1);
  }

  end(): void {
    if (!this.#terminal || this.#shown === 0) return;
    this.#terminal.cursorTo(0);
    this.#terminal.clearLine(0);
    this.#shown = 0;
  }
}
