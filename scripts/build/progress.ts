import type {Digested, OnBytes} from '../../build/read/digest.ts';
import {StatusLine} from '../terminal/status-line.ts';

/** Shows on a terminal how far the reading of freezes is. */
export function terminalProgress(terminal: NodeJS.WriteStream): {
  onFreeze: (freeze: Digested) => OnBytes;
  end: () => void;
} {
  const line = new StatusLine(terminal);
  const onFreeze = ({source, date, bytes: all}: Digested): OnBytes => {
    let done = 0;
    return bytes => {
      done += bytes;
      line.show(
        () =>
          `${source} ${date}  ${Math.floor((100 * done) / Math.max(all, 1))} %  ${mebibytes(done)} of ${mebibytes(all)} MiB`,
      );
    };
  };
  return {
    onFreeze,
    end: () => {
      line.end();
    },
  };
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
