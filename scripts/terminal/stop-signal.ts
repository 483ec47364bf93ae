import type {Terminal} from './command.ts';

/**
 * Resolves with an exit code on the first signal, and where standard output cannot be written any more: work under way still ends. A
 * second signal ends the process at once.
 *
 * @param unread the code where nobody reads standard output any more
 */
export function stopSignal(terminal: Terminal, unread = 0): Promise<number> {
  return new Promise(resolve => {
    terminal.onOutputEnd = (code = unread) => {
      resolve(code);
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, function stop() {
        resolve(0);
        // Not before all listeners have heard it: one of signal-exit that finds itself alone ends the process.
        setImmediate(() => process.off(signal, stop));
      });
  });
}
