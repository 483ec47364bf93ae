import {BaseError} from 'viem';
import {printable} from '../../shared/printable.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';
import {untrustedAdvice} from '../../shared/untrusted.ts';

/** What is shown of words that others wrote. */
const MOST_WORDS = 300;

/** An error and its causes in one line, of which nothing can steer a terminal; addresses are shown without their secrets. */
export function wordsOf(error: unknown): string {
  const words: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // The long message of viem has the address of the node, whose path may hold a key.
    const message = cause instanceof BaseError ? cause.shortMessage : cause.message;
    words.push('code' in cause ? `${message} (${String(cause.code)})` : message);
  }
  const line = withShownAddresses(words.join(': '))
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, MOST_WORDS);
  return printable(line) + untrustedAdvice(error);
}

/** The words of an unexpected error and where it was thrown. Its own stack would repeat the message, with the address of the node. */
export function stackOf(error: Error): string {
  const frames = error.stack?.split('\n').filter(line => /^\s+at /.test(line)) ?? [];
  return [wordsOf(error), ...frames].join('\n');
}
