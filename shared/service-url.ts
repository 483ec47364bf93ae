import {wrongUsage} from './fault.ts';

/** Validates an http or https address without credentials; an empty text is allowed. */
export function httpUrl(text: string): string {
  if (text === '') return text;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error('Expected an http: or https: address.');
  const {username, password} = new URL(text);
  if (username + password !== '') throw new Error('It has credentials in it, which cannot be sent.');
  return text;
}

/** Validates the address of a facilitator, to which paths are appended. */
export function facilitatorUrl(text: string): string {
  const url = httpUrl(text);
  if (/[?#]/.test(url)) throw new Error('It has a query or fragment: paths are put behind it.');
  return url;
}

/**
 * Returns the address in an environment variable, or undefined if it is unset or empty. Throws `InputError` if it cannot be used. The message
 * does not contain the value, which may be secret.
 */
export function urlIn(name: string, value: string | undefined, read: (text: string) => string): string | undefined {
  try {
    return read(value ?? '') || undefined;
  } catch (error) {
    const rule = `cannot be used: ${(error as Error).message}`;
    throw wrongUsage({code: 'FZ501', field: name, rule});
  }
}
