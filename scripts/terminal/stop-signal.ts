import type {Terminal} from './command.ts';

/**
 * Resolves with an exit code on the first signal, or when standard output cannot be written, so that the command can finish its work. A
 * second signal ends the process.
 *
 * @param unread the exit code if standard output cannot be written
 */
export function stopSignal(terminal: Terminal, unread = 0): Promise<number> {
  return new Promise(resolve => {
    terminal.onOutputEnd = (code = unread) => {
      resolve(code);
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, function stop() {
        resolve(0);
        // Removed only after all listeners ran: signal-exit ends the process if its listener is the only one.
        setImmediate(() => process.off(signal, stop));
      });
  });
}
