import type {PaymentRequired} from '@x402/core/types';
import {SMALLEST_DISCOVERY} from './discovery.ts';
import {headerMaker, type SignInTerms} from './sign-in-terms.ts';

/** nginx, and proxies that follow it, read the head of an answer into a buffer of 4 KB (`proxy_buffer_size`), and answer 502 to a larger one. */
export const HEAD_MAX_BYTES = 4_000;

/**
 * Bytes of the head of a 402 besides PAYMENT-REQUIRED and Link: the status line, the headers that every answer has, and either the
 * Content-Security-Policy of the page or the PAYMENT-RESPONSE of a failed settlement.
 */
const OTHER_BYTES = 960;

/** The longest reason for a refusal. */
const LONGEST_REASON = 'x'.repeat(80);

/** The most characters of a description that directories of x402 take (`@x402/extensions`, bazaar). */
const MOST_DESCRIPTION = 500;

/** Characters of a description that are worth more than the extension `bazaar`. */
const LEAST_DESCRIPTION = 100;

/** Terms whose 402 has a head below 4,000 bytes, and the header Link if there is room for it. */
export interface Fitted {
  readonly required: PaymentRequired;
  readonly link: string | undefined;
}

/**
 * Shortens what a client can do without until the head of the 402 fits: first the description, then the extension `bazaar` goes, then the
 * description, the names of the service and the header Link. More than four networks, or an address of several hundred characters, do not
 * fit even so.
 */
export function fitted(required: PaymentRequired, signIn: SignInTerms, link: string): Fitted {
  const {description = '', ...resource} = required.resource;
  const discoverable = {...required, resource, extensions: {...SMALLEST_DISCOVERY, ...required.extensions}};
  for (const [bare, least] of [
    [discoverable, Math.min(description.length, LEAST_DESCRIPTION)],
    [{...required, resource}, 0],
  ] as const) {
    const spare = HEAD_MAX_BYTES - OTHER_BYTES - `Link: ${link}\r\n`.length - headerBytes(bare, signIn);
    // Four characters of base64 for three bytes, of which the name of the member takes some.
    const shorter = shortened(description, Math.floor((spare * 3) / 4) - '"description":"",'.length - 2);
    if (spare >= 0 && shorter.length >= least)
      return {required: {...bare, resource: {...resource, ...(shorter && {description: shorter})}}, link};
  }
  const {url, mimeType} = resource;
  return {required: {...required, resource: {url, ...(mimeType && {mimeType})}}, link: undefined};
}

function headerBytes(required: PaymentRequired, signIn: SignInTerms): number {
  return headerMaker({...required, error: LONGEST_REASON}, signIn)().length;
}

/** The beginning of a text that has at most this many bytes within JSON. */
export function shortened(text: string, bytes: number): string {
  const fits = (part: string) =>
    part.length <= MOST_DESCRIPTION && Buffer.byteLength(JSON.stringify(part)) - 2 <= bytes;
  if (fits(text)) return text;
  const characters = Array.from(text).slice(0, MOST_DESCRIPTION);
  while (characters.length > 0 && !fits(`${characters.join('')}…`)) characters.pop();
  return characters.length > 0 ? `${characters.join('').trimEnd()}…` : '';
}
