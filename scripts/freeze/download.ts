import {posix} from 'node:path';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress, withShownAddresses} from '../../shared/shown-address.ts';
import type {Limits} from './limits.ts';
import {endingOf, formOf} from './file-name.ts';
import type {OpenList} from './list-file.ts';

const MOST_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];

/** True of anything that is an address and not a path. */
export function isAddress(file: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(file);
}

/** Throws `InputError` for an address that nothing is downloaded from. */
export function checkAddress(file: string): void {
  const url = URL.canParse(file) ? new URL(file) : undefined;
  if (!url) throw new InputError({file: shownAddress(file), rule: 'is not an address'});
  if (url.protocol !== 'https:') throw new InputError({file: shownAddress(file), rule: 'is not an https: address'});
  if (url.username !== '' || url.password !== '')
    throw new InputError({file: shownAddress(file), rule: 'holds a name or a password: download the list yourself'});
}

/** Asks for a list over https, and only https, redirects included; the answer's body is not read yet. */
export async function openDownload(address: string, source: string, limits: Limits): Promise<OpenList> {
  const asked = new URL(address);
  const origin = shownAddress(address);
  const patience = patienceOf(limits.timeout);
  const {response, url} = await follow(asked, origin, limits, patience);
  // 206 is a part that nobody asked for, 203 what somebody on the way made of the list.
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new InputError({file: origin, rule: `answers ${response.status} ${response.statusText}`.trimEnd()});
  }
  const length = response.headers.get('content-length');
  if (Number(length) > limits.maxBytes) {
    await response.body.cancel();
    throw new InputError({
      file: origin,
      rule: `has ${length ?? ''} bytes, more than the ${limits.maxBytes} of --max-mib`,
    });
  }
  const reader = response.body.getReader();
  const modified = Date.parse(response.headers.get('last-modified') ?? '');
  return {
    origin,
    name: nameOf([asked, url], response.headers.get('content-type') ?? '', source),
    // The length of a packed answer is not that of the list.
    bytes: length === null || response.headers.has('content-encoding') ? undefined : Number(length),
    modified: modified >= 0 && modified <= Date.now() ? new Date(modified) : new Date(),
    address: asked.origin + asked.pathname,
    chunks: chunksOf(reader, origin, patience),
    close: () => reader.cancel().catch(() => undefined), // Over already, or broken: its reader has said so.
  };
}

/** Waits for a host that gives nothing for some time no longer. */
interface Patience {
  /** Ends the request. */
  readonly signal: AbortSignal;
  readonly during: <T>(wait: () => Promise<T>) => Promise<T>;
}

function patienceOf(seconds: number): Patience {
  const end = new AbortController();
  return {
    signal: end.signal,
    async during(wait) {
      const timer = setTimeout(() => {
        end.abort(new TypeError(`nothing came for ${seconds} s`));
      }, seconds * 1000);
      return wait().finally(() => {
        clearTimeout(timer);
      });
    },
  };
}

async function follow(
  first: URL,
  origin: string,
  {maxBytes, limit}: Limits,
  {signal, during}: Patience,
): Promise<{response: Response; url: URL}> {
  const ask = boundedFetch({maxBytes, timeoutMs: limit * 1000});
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const {href} = url;
    const response = await orRefuse(origin, () =>
      during(() => ask(href, {redirect: 'manual', signal, headers: {'accept-encoding': 'identity'}})),
    );
    const location = response.headers.get('location');
    if (!REDIRECTS.includes(response.status) || location === null) return {response, url};
    await response.body?.cancel();
    if (!URL.canParse(location, href)) throw new InputError({file: origin, rule: 'leads to what is not an address'});
    url = new URL(location, href);
    if (url.protocol !== 'https:')
      throw new InputError({file: origin, rule: `leads to ${shownAddress(url.href)}, which is not an https: address`});
    if (url.username !== '' || url.password !== '')
      throw new InputError({file: origin, rule: `leads to ${shownAddress(url.href)} with a name or a password`});
  }
  throw new InputError({file: origin, rule: `leads on more than ${MOST_REDIRECTS} times`});
}

/** The last part of the first address that names a format, else the source with the ending of the media type. */
function nameOf(urls: readonly URL[], mediaType: string, source: string): string {
  const names = urls.map(url => posix.basename(decoded(url.pathname)));
  const ending = endingOf(mediaType);
  return (
    names.find(name => formOf(name) !== undefined) ?? (ending === undefined ? (names[0] ?? '') : `${source}${ending}`)
  );
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

async function* chunksOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  origin: string,
  {during}: Patience,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const {done, value} = await orRefuse(origin, () => during(() => reader.read()));
    if (done) return;
    yield value;
  }
}

/** A network that refuses is not a bug: one line with the reason. */
async function orRefuse<T>(origin: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const cause = error.cause as (Error & {code?: string}) | undefined;
    const reason = withShownAddresses(cause?.code ?? cause?.message ?? error.message);
    throw new InputError({file: origin, rule: `cannot be downloaded (${reason})`}, {cause: error});
  }
}
