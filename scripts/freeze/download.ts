import {posix} from 'node:path';
import {unescape} from 'node:querystring';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {InputError, wrongUsage} from '../../shared/fault.ts';
import {ProxyError} from '../../shared/proxy.ts';
import {shownAddress, withShownAddresses} from '../../shared/shown-address.ts';
import {untrustedAdvice} from '../../shared/untrusted.ts';
import {endingOf, formOf} from './file-name.ts';
import type {OpenList} from './list-file.ts';
import type {Order} from './order.ts';

type Limits = Order['limits'];

const MOST_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Why there was no answer, by the codes of Node that need words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of its host is unknown: ENOTFOUND',
  ECONNREFUSED: 'its host refuses connections: ECONNREFUSED',
};
/** The values of Content-Encoding that `fetch` decompresses. */
const DECOMPRESSED = /\b(gzip|deflate|br|zstd)\b/i;

/** True for a URL, as opposed to a path. */
export function isAddress(file: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(file);
}

/** Throws `InputError` unless a list can be downloaded from the address: `https:`, without a name and password. */
export function checkAddress(address: string): void {
  const rule = addressRule(address);
  if (rule === undefined) return;
  const shown = shownAddress(address);
  throw wrongUsage({code: 'FZ117', ...(URL.canParse(address) ? {url: shown} : {subject: shown}), rule});
}

/** Returns what is wrong with an address, or undefined if it can be downloaded. */
function addressRule(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not an address';
  const {protocol, username, password} = new URL(address);
  if (protocol !== 'https:') return 'is not an https: address';
  return username + password === '' ? undefined : 'contains a name or a password';
}

/** Starts a download over https, also across redirects. The body is not read yet. */
export async function openDownload(address: string, source: string, limits: Limits): Promise<OpenList> {
  const asked = new URL(address);
  const origin = shownAddress(address);
  try {
    const {response, url} = await follow(asked, origin, limits);
    const {status, statusText, headers, body} = response;
    const length = headers.get('content-length');
    const refused = async (rule: string) => {
      await body?.cancel();
      return new InputError({code: 'FZ117', url: origin, rule});
    };
    // 206 is a part that was not requested, and 203 was changed by a proxy.
    if (status !== 200 || !body) throw await refused(`answers ${status} ${statusText}`.trimEnd());
    const coding = headers.get('content-encoding') ?? '';
    // `fetch` decompresses the answer, and does not notice that its end is missing.
    if (DECOMPRESSED.test(coding))
      throw await refused(`is compressed for the transfer (Content-Encoding: ${coding}), which was not requested`);
    if (Number(length) > limits.maxBytes)
      throw await refused(`has ${length ?? ''} bytes, more than the ${limits.maxBytes} of --max-mib`);
    const modified = Date.parse(headers.get('last-modified') ?? '');
    return {
      origin,
      name: nameOf([asked, url], headers.get('content-type') ?? '', source),
      bytes: length === null ? undefined : Number(length),
      modified: modified >= 0 && modified <= Date.now() ? new Date(modified) : undefined,
      address: asked.origin + asked.pathname,
      chunks: chunksOf(body, origin),
      [Symbol.dispose]() {
        body.cancel().catch(() => undefined); // the reader of the body already reported its error
      },
    };
  } catch (error) {
    throw networkFault(origin, error);
  }
}

async function follow(asked: URL, origin: string, {maxBytes, totalTimeout}: Limits) {
  const ask = boundedFetch({maxBytes, timeoutMs: totalTimeout * 1000});
  let url = asked;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await ask(url.href, {redirect: 'manual', headers: {'accept-encoding': 'identity'}});
    const location = response.headers.get('location');
    if (!REDIRECTS.includes(response.status) || location === null) return {response, url};
    await response.body?.cancel();
    const to = URL.canParse(location, url.href) ? new URL(location, url.href).href : location;
    const rule = addressRule(to);
    if (rule !== undefined)
      throw new InputError({code: 'FZ117', url: origin, rule: `redirects to ${shownAddress(to)}, which ${rule}`});
    url = new URL(to);
  }
  throw new InputError({code: 'FZ117', url: origin, rule: `redirects more than ${MOST_REDIRECTS} times`});
}

/**
 * Returns the last path segment of the first address that has a known extension, otherwise the source with the extension of the media type.
 */
function nameOf(urls: readonly URL[], mediaType: string, source: string): string {
  const names = urls.map(({pathname}) => posix.basename(unescape(pathname)));
  const ending = endingOf(mediaType);
  return names.find(formOf) ?? (ending === undefined ? (names[0] ?? '') : `${source}${ending}`);
}

async function* chunksOf(body: ReadableStream<Uint8Array>, origin: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw networkFault(origin, error);
  }
}

function networkFault(url: string, error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  const cause = error.cause as (Error & {code?: string}) | undefined;
  const code = cause?.code ?? '';
  const words = cause instanceof ProxyError ? cause.message : (REASONS[code] ?? (code || (cause ?? error).message));
  const rule = `cannot be downloaded (${withShownAddresses(words)})${untrustedAdvice(error)}`;
  return new InputError({code: 'FZ117', url, rule}, {cause: error});
}
