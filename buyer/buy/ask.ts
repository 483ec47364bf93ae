import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {InputError} from '../../shared/fault.ts';
import {isLoopback} from '../../shared/loopback.ts';
import {shownAddress} from '../../shared/shown-address.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** There is no complete answer, although the request may have arrived. */
export class NoAnswer extends InputError {}

/** Sends a request to one site. Redirects are not followed, because a payment must not go to another host. May throw `NoAnswer`. */
export type Ask = (
  path: string,
  options: {readonly headers?: Readonly<Record<string, string>>; readonly maxBytes: number},
) => Promise<Answer>;

/** A gate waits up to half a minute for a settlement, and then sends up to 25 MiB. */
const TIMEOUT_MS = 120_000;

/** @param fetcher makes the requests, instead of the global `fetch` */
export function askerOf(origin: string, fetcher: typeof fetch): Ask {
  return async function ask(path, {headers = {}, maxBytes}) {
    const bounded = boundedFetch({maxBytes, timeoutMs: TIMEOUT_MS}, fetcher);
    try {
      const response = await bounded(origin + path, {headers, redirect: 'manual'});
      return {
        status: response.status,
        headers: response.headers,
        bytes: new Uint8Array(await response.arrayBuffer()),
      };
    } catch (cause) {
      const rule = `gave no complete answer: ${errorMessage(cause)}`;
      throw new NoAnswer({code: 'FZ602', url: origin + path, rule}, {cause});
    }
  };
}

const REDIRECTS = [301, 302, 303, 307, 308];
/** The header is untrusted, so its length is limited. */
const MOST_CHARACTERS = 300;

/**
 * Describes an unexpected status, as the end of a sentence about the address. A redirect is not followed, because a payment must not go to
 * a site that the buyer did not name, so the text contains its target.
 *
 * @param url the requested address
 */
export function unexpected({status, headers}: Answer, url: string, expected?: string): string {
  const location = headers.get('Location') ?? '';
  if (!REDIRECTS.includes(status) || !URL.canParse(location, url))
    return `answers ${status}${expected === undefined ? '' : `, not ${expected}`}`;
  const [asked, target] = [new URL(url), new URL(location, url)];
  const shown = shownAddress(target.href).slice(0, MOST_CHARACTERS);
  const redirect = `redirects to ${shown} (${status}), and redirects are not followed`;
  const isPrivate = target.protocol === 'https:' || (target.protocol === 'http:' && isLoopback(target.hostname));
  const isSamePath = target.pathname === asked.pathname && target.origin !== asked.origin;
  return isPrivate && isSamePath
    ? `${redirect}. If that is the site you want, use ${shownAddress(target.href, 'origin')} as its address`
    : redirect;
}
