import {isLoopback} from '../../shared/loopback.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import type {Answer} from './ask.ts';

const REDIRECTS = [301, 302, 303, 307, 308];
/** The header is untrusted, so its length is limited. */
const MOST_CHARACTERS = 300;

/**
 * Describes an unexpected status, as the end of a sentence about the address. A redirect is not followed, because a payment must not go to
 * a site that the buyer did not name, so the text contains its target.
 *
 * @param file the requested address
 */
export function unexpected({status, headers}: Answer, file: string, expected?: string): string {
  const location = headers.get('Location') ?? '';
  if (!REDIRECTS.includes(status) || !URL.canParse(location, file))
    return `answers ${status}${expected === undefined ? '' : `, not ${expected}`}`;
  const [asked, target] = [new URL(file), new URL(location, file)];
  const shown = shownAddress(target.href).slice(0, MOST_CHARACTERS);
  const redirect = `redirects to ${shown} (${status}), and redirects are not followed`;
  const isPrivate = target.protocol === 'https:' || (target.protocol === 'http:' && isLoopback(target.hostname));
  const isSamePath = target.pathname === asked.pathname && target.origin !== asked.origin;
  return isPrivate && isSamePath
    ? `${redirect}. If that is the site you want, use ${shownAddress(target.href, 'origin')} as its address`
    : redirect;
}
