import type {OnProducts} from './products.ts';

const QUIET_MS = 1000;

/** Shows on a terminal, after a second, how many products were compared. */
export function progressOn(terminal: NodeJS.WriteStream): {onProducts: OnProducts; end: () => void} {
  const started = performance.now();
  let shown = false;
  const onProducts: OnProducts = (done, of) => {
    if (!terminal.isTTY || performance.now() - started < QUIET_MS) return;
    shown = true;
    terminal.cursorTo(0);
    terminal.write(`${done} of ${of} products compared`);
    terminal.clearLine(1);
  };
  const end = () => {
    if (!shown) return;
    terminal.cursorTo(0);
    terminal.clearLine(0);
  };
  return {onProducts, end};
}
