import {printable} from './check.ts';

const QUIET_MS = 1000;

/** Shows on a terminal, after a second, which product is looked at. */
export function onTerminal(terminal: NodeJS.WriteStream) {
  const started = performance.now();
  let shown = false;
  return {
    show: (name: string, at: number, of: number) => {
      if (!terminal.isTTY || performance.now() - started < QUIET_MS) return;
      shown = true;
      terminal.cursorTo(0);
      terminal.write(`${at} of ${of}  ${printable(name)}`);
      terminal.clearLine(1);
    },
    end: () => {
      if (!shown) return;
      terminal.cursorTo(0);
      terminal.clearLine(0);
    },
  };
}
