import {randomUUID} from 'node:crypto';
import {shownAddress} from '../../shared/shown-address.ts';
import {JSON_TYPE} from '../../shared/paths.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {failed, passed, unchecked, verdict, type Check} from './check.ts';
import {leakChecks, type Missing} from './leak-checks.ts';
import type {Read, SiteReader} from './site-reader.ts';
import {termChecks} from './terms.ts';
import {NoAnswer, type Answer, type Web} from './web.ts';

/** With a longer age, caches would list documents that are no longer sold for more than a day. */
const MAX_AGE_SECONDS = 86_400;

/** The configuration file that some hosts read and do not serve. */
const UNSERVED = '/_headers';

/** Opens a site over HTTP. Paid documents are requested, but never bought. */
export function openOrigin(web: Web): SiteReader {
  const name = randomUUID().replaceAll('-', '');
  let missing: Promise<Missing[]> | undefined;
  const askForMissing = () =>
    (missing ??= Promise.all([`/api/v1/${name}`, `/${name}`].map(target => web.ask({target}))));
  return {
    name: web.origin,
    isGated: true,
    read: (path, type, maxBytes) => readOver(web, path, type, maxBytes),
    async paid(document, entry, catalogue) {
      const {path} = document;
      const answer = await web.ask({target: path});
      if (answer instanceof NoAnswer) return [failed('answer', path, answer.message)];
      if (answer.status !== 402) return [failed('402', path, `answers ${answer.status} without payment, not 402`)];
      const checks = await termChecks(answer, path, entry, catalogue);
      return [...checks, ...(await leakChecks(web, document, await askForMissing()))];
    },
    async absent(path) {
      const {status} = await web.ask({target: path});
      return status === 404
        ? passed('left out', path, 'answers 404: this host sells nothing')
        : failed('left out', path, `answers ${status || 'nothing'}, but this host sells nothing`);
    },
    whole: async catalogue => [
      ...unknownPathChecks((await askForMissing())[0]?.status),
      ...addressChecks(web.origin, catalogue),
    ],
    [Symbol.dispose]: () => {
      web[Symbol.dispose]();
    },
  };
}

async function readOver(web: Web, path: string, type: string, maxBytes: number): Promise<Read> {
  const {at, answer} = await askForPage(web, path, maxBytes);
  if (answer instanceof NoAnswer) return {checks: [failed('answer', path, answer.message)]};
  const {status, headers, bytes} = answer;
  if (status === 404 && path === UNSERVED)
    return {checks: [unchecked('status', path, 'this host does not serve its own configuration')]};
  if (status !== 200) return {checks: [failed('status', path, `answers ${status}${locationIn(headers)}, not 200`)]};
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return {checks: [failed('status', path, `is sent as ${encoding}, which was not requested`)]};
  return {
    bytes,
    checks: [
      passed('status', path, at === path ? 'answers 200' : `answers 200 at ${at}`),
      ...(path === UNSERVED ? [] : verdict('type', path, typeFaults(headers, type), 'has its content type')),
      ...verdict('cache', path, cacheFaults(headers), 'may be cached for a day at most'),
    ],
  };
}

/**
 * Requests a path, and follows redirects of hosts that omit `.html`: from `/x.html` to `/x`, from `/index.html` to `/index` and to `/`. No
 * other redirect is followed.
 */
async function askForPage(web: Web, path: string, maxBytes: number): Promise<{at: string; answer: Answer | NoAnswer}> {
  const [, short = '', folder] = /^((.*\/)index|.*)\.html$/.exec(path) ?? [];
  const found = {at: path, answer: await web.ask({target: path, maxBytes})};
  for (const at of [short, folder ?? ''].filter(Boolean)) {
    const {status, headers} = found.answer;
    const leads = REDIRECTING.includes(status) && [at, web.origin + at].includes(headers.location ?? '');
    if (leads) Object.assign(found, {at, answer: await web.ask({target: at, maxBytes})});
  }
  return found;
}

const REDIRECTING = [301, 302, 307, 308];

function locationIn({location}: Answer['headers']): string {
  return location === undefined ? '' : ` to ${shownAddress(location)}`;
}

function typeFaults(headers: Answer['headers'], type: string): string[] {
  const sent = headers['content-type'] ?? 'none';
  return normal(sent) === normal(type) ? [] : [`content type is ${sent}, not ${type}`];
}

/** Normalises a content type: `charset` may be in either case, and `application/json` is always UTF-8. */
function normal(type: string): string {
  const plain = type.toLowerCase().replaceAll(' ', '');
  return plain === 'application/json' ? normal(JSON_TYPE) : plain;
}

function cacheFaults({'cache-control': cache}: Answer['headers']): string[] {
  if (cache === undefined) return ['has no Cache-Control, so each cache decides how long it keeps the answer'];
  const ages = [...cache.matchAll(/(?:max-age|s-maxage)\s*=\s*"?(\d+)/gi)].map(([, age]) => Number(age));
  if (/no-store|private/i.test(cache)) return [`Cache-Control is ${cache}: a free document may be cached`];
  if (ages.length === 0 && !/no-cache/i.test(cache)) return [`Cache-Control is ${cache}, without max-age`];
  return ages.some(age => age > MAX_AGE_SECONDS) ? [`Cache-Control is ${cache}: more than a day`] : [];
}

function unknownPathChecks(status = 0): Check[] {
  const faults = status === 404 ? [] : [`answers ${status || 'nothing'}, not 404`];
  return verdict('unknown path', '/api/v1/…', faults, 'answers 404 for what does not exist');
}

/** Checks that a site is at the address in its documents. */
export function addressChecks(origin: string, {base_url}: Catalogue): Check[] {
  const read = `read at ${origin}; its documents name ${base_url}`;
  return [origin === base_url ? passed('address', origin, 'is the base_url') : unchecked('address', origin, read)];
}
