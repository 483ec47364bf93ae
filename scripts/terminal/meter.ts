import {filesize} from 'filesize';
import type {StatusLine} from './status-line.ts';

/**
 * Returns a function that shows progress, called with the number of completed bytes: `deny.csv 25 % 25 MiB of 100 MiB 12.5 MiB/s`.
 *
 * @param total the number of bytes, if it is known
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

/** Waits for a server, and shows on a terminal for how long, so that the program does not seem to hang. */
export async function waiting<T>(line: Pick<StatusLine, 'show' | 'end'>, label: string, work: Promise<T>): Promise<T> {
  const started = performance.now();
  const timer = setInterval(() => {
    line.show(() => `waiting for ${label}  ${Math.round((performance.now() - started) / 1000)} s`);
  }, 1000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    line.end();
  }
}

/** Formats a size: `1.2 MiB`. */
export function size(bytes: number): string {
  return filesize(Math.round(bytes), {standard: 'iec'});
}
