import {filesize} from 'filesize';
import type {StatusLine} from './status-line.ts';

/**
 * Tells on a terminal how far some work is: `deny.csv  25 %  25 MiB of 100 MiB  12.5 MiB/s`.
 *
 * @param total how many bytes there are, where that is known
 * @returns what to tell how many of them are done
 */
export function meter(line: Pick<StatusLine, 'show'>, label: string, total?: number): (bytes: number) => void {
  const started = performance.now();
  return bytes => {
    line.show(() => {
      const rate = `${size((1000 * bytes) / (performance.now() - started))}/s`;
      if (!total) return [label, size(bytes), rate].join('  ');
      return [label, `${Math.floor((100 * bytes) / total)} %`, `${size(bytes)} of ${size(total)}`, rate].join('  ');
    });
  };
}

/** A size for people, e.g. `1.2 MiB`. */
export function size(bytes: number): string {
  return filesize(Math.round(bytes), {standard: 'iec'});
}
