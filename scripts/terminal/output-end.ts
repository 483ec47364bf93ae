import {getSystemErrorMap} from 'node:util';

/**
 * Ends a command whose standard output cannot be written: with one line and exit code 1; where nobody reads any more, as behind
 * `head`, without a word and with the exit code that it has by then.
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
    // The words of the system, e.g. "no space left on device".
    const [, words = message] = getSystemErrorMap().get(errno) ?? [];
    process.stderr.write(`standard output cannot be written: ${words}\n`);
    end(1);
  });
}
