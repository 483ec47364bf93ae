import {withShownAddresses} from '../../shared/shown-address.ts';

/** What is shown of words that others wrote. */
const MOST_WORDS = 300;

/** An error and its causes in one line, of which nothing can steer a terminal; addresses are shown without their secrets. */
export function wordsOf(error: unknown): string {
  const words: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    words.push('code' in cause ? `${cause.message} (${String(cause.code)})` : cause.message);
  return withShownAddresses(words.join(': '))
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .slice(0, MOST_WORDS);
}
