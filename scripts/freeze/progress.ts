import {filesize} from 'filesize';
import type {StatusLine} from '../terminal/status-line.ts';

const EVERY_MS = 100;
const BAR_WIDTH = 24;
const NEWLINE = 10;

/** How far one part of the work is. */
export interface Advance {
  readonly label: string;
  readonly bytes: number;
  /** Of how many, where that is known. */
  readonly total: number | undefined;
  /** How many rows were seen, where they can be counted. */
  readonly rows: number | undefined;
  readonly seconds: number;
}

/** Shows on a terminal, once the work takes longer than a second, how far it is. Shows nothing elsewhere. */
export class Progress {
  readonly #line: StatusLine;
  /** How many rows the list has, as far as that is known: of copied lines, and more precisely later. */
  rows: number | undefined;

  constructor(line: StatusLine) {
    this.#line = line;
  }

  /** A file is copied: returns what to tell of its chunks. */
  copying(label: string, total: number | undefined, countsLines: boolean): (chunk: Uint8Array) => void {
    const started = performance.now();
    let [bytes, rows] = [0, 0];
    return chunk => {
      bytes += chunk.length;
      if (countsLines && this.#line.isShown) {
        const lines = linesIn(chunk);
        rows += lines;
        this.rows = (this.rows ?? 0) + lines;
      }
      const seconds = (performance.now() - started) / 1000;
      this.#show({label, bytes, total, rows: countsLines ? rows : undefined, seconds});
    };
  }

  /**
   * The database reads the files: asks it how far it is.
   *
   * @param bytes of all files
   * @param percentage of the running query, from 0 to 100; below 0 where that is not known
   */
  async reading<T>(label: string, bytes: number, percentage: () => number, read: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const timer = setInterval(() => {
      const share = Math.max(percentage(), 0) / 100;
      const rows = this.rows === undefined ? undefined : this.rows * share;
      const seconds = (performance.now() - started) / 1000;
      this.#show({label, bytes: bytes * share, total: bytes, rows, seconds});
    }, EVERY_MS);
    try {
      return await read();
    } finally {
      clearInterval(timer);
    }
  }

  #show(advance: Advance): void {
    this.#line.show(() => barLine(advance));
  }
}

/** `checking  [####....]  40 %  53 MiB of 132 MiB  61 MiB/s  1,330,000 rows/s` */
export function barLine({label, bytes, total, rows, seconds}: Advance): string {
  const share = total === undefined || total === 0 ? undefined : Math.min(bytes / total, 1);
  const filled = Math.round((share ?? 0) * BAR_WIDTH);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]  ${String(Math.floor((share ?? 0) * 100)).padStart(3)} %`;
  return [
    label,
    ...(share === undefined ? [] : [bar]),
    total === undefined ? size(bytes) : `${size(bytes)} of ${size(total)}`,
    ...(seconds > 0 ? ratesOf(bytes, rows, seconds) : []),
  ].join('  ');
}

function ratesOf(bytes: number, rows: number | undefined, seconds: number): string[] {
  const rowsPerSecond = rows === undefined ? [] : [`${Math.round(rows / seconds).toLocaleString('en')} rows/s`];
  return [`${size(bytes / seconds)}/s`, ...rowsPerSecond];
}

/** A size for people, e.g. `1.2 MiB`. */
export function size(bytes: number): string {
  return filesize(Math.round(bytes), {standard: 'iec'});
}

function linesIn(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
