import type {Digested, OnBytes} from './read/digest.ts';

const QUIET_MS = 1000;
const EVERY_MS = 100;

/** Shows on a terminal, after a second, how far the reading of freezes is. */
export function terminalProgress(terminal: NodeJS.WriteStream): {
  onFreeze: (freeze: Digested) => OnBytes;
  end: () => void;
} {
  const started = performance.now();
  let shown = 0;
  const onFreeze = (freeze: Digested): OnBytes => {
    let done = 0;
    return bytes => {
      done += bytes;
      const now = performance.now();
      if (now - started < QUIET_MS || now - shown < EVERY_MS) return;
      shown = now;
      terminal.cursorTo(0);
      terminal.write(
        `${freeze.source} ${freeze.date}  ${Math.floor((100 * done) / Math.max(freeze.bytes, 1))} %  ${mebibytes(done)} of ${mebibytes(freeze.bytes)} MiB`,
      );
      terminal.clearLine(1);
    };
  };
  const end = () => {
    if (shown === 0) return;
    terminal.cursorTo(0);
    terminal.clearLine(0);
  };
  return terminal.isTTY ? {onFreeze, end} : {onFreeze: () => () => undefined, end: () => undefined};
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
