import {getSystemErrorMap} from 'node:util';

/**
 * Ends a command whose standard output cannot be written: with one line and exit code 1; where nobody reads any more, as behind
 * `head`, without a word and with the exit code that it has by then.
 *
 * @param end called once; by default the process ends there and then
 */
export function endWithoutOutput(end: (code?: 1) => void = code => process.exit(code)): void {
  let ended = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (ended) return;
    ended = true;
    const unread = error.code === 'EPIPE';
    if (!unread) process.stderr.write(`standard output cannot be written: ${reason(error)}\n`);
    end(unread ? undefined : 1);
  });
}

/** What the system calls it, e.g. "no space left on device". */
function reason({errno = 0, message}: NodeJS.ErrnoException): string {
  const [, words] = getSystemErrorMap().get(errno) ?? [];
  return words ?? message;
}
