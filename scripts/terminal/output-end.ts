import {getSystemErrorMap} from 'node:util';
import {printableOutput} from '../../shared/printable.ts';
import type {Terminal} from './command.ts';

/**
 * Ends a command if standard output cannot be written: with a message and exit code 1. If the reader closed the pipe, as `head` does,
 * without a message and with the command's own exit code.
 *
 * @param end called once
 */
export function onOutputEnd(end: (code?: number) => void): void {
  let ended = false;
  process.stdout.on('error', ({code, errno = 0, message}: NodeJS.ErrnoException) => {
    if (ended) return;
    ended = true;
    if (code === 'EPIPE') {
      end();
      return;
    }
    // The message of the system, such as "no space left on device".
    const [, words = message] = getSystemErrorMap().get(errno) ?? [];
    process.stderr.write(`standard output cannot be written: ${words}\n`);
    end(1);
  });
}

/** Wraps a stream so that control and invisible characters are written as escapes. */
export function visibleOutput(stream: Terminal['out']): Terminal['out'] {
  return {write: text => stream.write(printableOutput(text))};
}
