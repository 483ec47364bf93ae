import {printable} from './printable.ts';
import {withShownAddresses} from './shown-address.ts';
import {untrustedAdvice} from './untrusted.ts';

/** Limits the length of a message, which may contain the response of another program. */
const MOST_CHARACTERS = 300;

/** The members of viem's errors. Their long message contains the URL of the node, whose path may be a key. */
interface ViemError extends Error {
  readonly shortMessage: string;
  /** The message of the innermost error, or the message of the node. */
  readonly details?: string;
  /** The HTTP status of the response. */
  readonly status?: number;
}

/**
 * Returns an error and its causes in one line: messages, codes, and the remedy for a certificate of an unknown issuer. URLs are shortened
 * to their origin, because a path may be a key, and invisible characters are escaped.
 */
export function errorMessage(error: unknown): string {
  const messages: string[] = [];
  let isInViem = false;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isOfViem(cause)) {
      messages.push(...viemMessages(cause, isInViem));
      isInViem = true;
    } else if (cause.message !== 'fetch failed' || !(cause.cause instanceof Error)) {
      // The cause of "fetch failed" says why.
      messages.push(withCode(cause));
    }
  }
  const text = error instanceof Error ? messages.filter(Boolean).join(': ').replaceAll('.: ', ': ') : String(error);
  const line = withShownAddresses(text, 'origin')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, MOST_CHARACTERS);
  return printable(line) + untrustedAdvice(error);
}

/** Returns the message of an unexpected error and its stack frames. The error's own `stack` may contain the URL of the node. */
export function errorStack(error: Error): string {
  const frames = error.stack?.split('\n').filter(line => /^\s+at /.test(line)) ?? [];
  return [errorMessage(error), ...frames].join('\n');
}

/** Viem nests its errors. Only the message of the outermost error and the details of the innermost error are useful. */
function viemMessages({shortMessage, details, status, cause}: ViemError, isInner: boolean): string[] {
  const messages = isInner ? [] : [shortMessage];
  if (status !== undefined) messages.push(`status ${status}`);
  if (!(cause instanceof Error) && details && details !== shortMessage) messages.push(details);
  return messages;
}

function withCode(error: Error & {readonly code?: unknown}): string {
  const code = typeof error.code === 'string' || typeof error.code === 'number' ? String(error.code) : '';
  // Errors of OpenSSL have a library and a reason. Their message names a thread and a line of its source.
  const text = 'library' in error && 'reason' in error ? String(error.reason) : error.message;
  const message = text
    .replace(/^getaddrinfo ENOTFOUND (\S+)$/, 'the host name $1 is unknown')
    .replace(/^getaddrinfo EAI_AGAIN (\S+)$/, 'the host name $1 cannot be looked up now');
  if (message === '') return code;
  return message.includes(code) ? message : `${message} (${code})`;
}

function isOfViem(error: Error): error is ViemError {
  return 'shortMessage' in error && typeof error.shortMessage === 'string';
}
