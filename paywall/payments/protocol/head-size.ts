import type {PaymentRequired} from '@x402/core/types';
import {SMALLEST_DISCOVERY} from './discovery.ts';
import {headerMaker, type SignInTerms} from './sign-in-terms.ts';

/** nginx and similar proxies read the head of a response into a buffer of 4 KB (`proxy_buffer_size`) and answer 502 if it does not fit. */
export const HEAD_MAX_BYTES = 4_000;

/**
 * Bytes of the head of a 402 without PAYMENT-REQUIRED and Link: the status line, the common headers, and either the Content-Security-Policy
 * of the page or the PAYMENT-RESPONSE of a failed settlement.
 */
const OTHER_BYTES = 960;

/** A placeholder as long as the longest reason for a refusal. */
const LONGEST_REASON = 'x'.repeat(80);

/** The maximum length of a description in directories of x402 (`@x402/extensions`, bazaar), in characters. */
const MAX_DESCRIPTION = 500;

/** The length below which the extension `bazaar` is dropped before the description is shortened further. */
const MIN_DESCRIPTION = 100;

/** Terms that fit into a head of 4,000 bytes, and the header Link if it fits too. */
export interface Fitted {
  readonly required: PaymentRequired;
  readonly link: string | undefined;
}

/**
 * Shortens optional parts until the head of the 402 fits. It first shortens the description, then drops the extension `bazaar`, and finally
 * drops the description, the service metadata and the header Link. More than four networks or a URL of several hundred characters may still
 * not fit.
 */
export function fitted(required: PaymentRequired, signIn: SignInTerms, link: string): Fitted {
  const {description = '', ...resource} = required.resource;
  const discoverable = {...required, resource, extensions: {...SMALLEST_DISCOVERY, ...required.extensions}};
  for (const [bare, minLength] of [
    [discoverable, Math.min(description.length, MIN_DESCRIPTION)],
    [{...required, resource}, 0],
  ] as const) {
    const spare = HEAD_MAX_BYTES - OTHER_BYTES - `Link: ${link}\r\n`.length - headerBytes(bare, signIn);
    // Base64 has four characters for three bytes. The member name also takes bytes.
    const shorter = shortened(description, Math.floor((spare * 3) / 4) - '"description":"",'.length - 2);
    if (spare >= 0 && shorter.length >= minLength)
      return {required: {...bare, resource: {...resource, ...(shorter && {description: shorter})}}, link};
  }
  const {url, mimeType} = resource;
  return {required: {...required, resource: {url, ...(mimeType && {mimeType})}}, link: undefined};
}

function headerBytes(required: PaymentRequired, signIn: SignInTerms): number {
  return headerMaker({...required, error: LONGEST_REASON}, signIn)().length;
}

/** Returns a text, or its beginning and an ellipsis if the text has more than this many bytes in JSON. */
export function shortened(text: string, bytes: number): string {
  const fits = (part: string) => part.length <= MAX_DESCRIPTION && Buffer.byteLength(JSON.stringify(part)) - 2 <= bytes;
  if (fits(text)) return text;
  const characters = Array.from(text).slice(0, MAX_DESCRIPTION);
  while (characters.length > 0 && !fits(`${characters.join('')}…`)) characters.pop();
  return characters.length > 0 ? `${characters.join('').trimEnd()}…` : '';
}
