import {sha256} from '../../shared/digest.ts';
import type {ListedDocument} from '../../shared/shapes.ts';
import type {PaidDocument} from './catalogue.ts';
import {verdict, type Check} from './check.ts';
import {MAX_BYTES} from './bounds.ts';
import {NoAnswer, type Answer, type Web, type Request} from './web.ts';

/** The site's answer for a path that does not exist. A misspelled paid path must have the same answer. */
export type Missing = Pick<Answer, 'status' | 'headers'>;

/** Space for an error page in addition to a leaked document. */
const MARGIN_BYTES = 256 * 1024;

/**
 * Tries spellings, methods and headers: no answer may reveal content, length or entity tag of the paid document.
 *
 * @param missing the answers for missing paths below `/api/v1/` and elsewhere, whose error pages may have their own entity tag
 */
export async function leakChecks(
  web: Web,
  {path, listed}: PaidDocument,
  missing: readonly Missing[],
): Promise<Check[]> {
  const attempts = attemptsAt(path, web.origin);
  const faults = await Promise.all(attempts.map(attempt => faultsOf(web, attempt, listed, missing)));
  const fine = `${attempts.length} unpaid spellings, methods and headers reveal nothing`;
  return verdict('leaks', path, faults.flat(), fine);
}

async function faultsOf(
  web: Web,
  attempt: Attempt,
  paid: ListedDocument,
  missing: readonly Missing[],
): Promise<string[]> {
  const {method = 'GET', target, headers = {}} = attempt;
  const request = [method, target, ...Object.keys(headers).map(name => `with ${name}`)].join(' ');
  const answer = await web.ask({...attempt, maxBytes: Math.min(paid.bytes, MAX_BYTES) + MARGIN_BYTES});
  if (!(answer instanceof NoAnswer)) return leaksIn(answer, method, paid, missing).map(leak => `${request} ${leak}`);
  // Many servers close the connection after an invalid request line, which reveals nothing.
  return answer.isClosed ? [] : [`${request} ${answer.message}`];
}

function leaksIn(answer: Answer, method: string, paid: ListedDocument, missing: readonly Missing[]): string[] {
  const {status, bytes, headers} = answer;
  const bare = method === 'OPTIONS' && bytes.length === 0;
  if (status < 300 && !bare) return [`answers ${status} without payment`];
  if (status === 304) return ['answers 304, which reveals whether the document changed'];
  const length = headers['content-length'];
  const isOfMissing = (name: 'etag' | 'last-modified' | 'content-range' | 'content-length') =>
    missing.some(other => other.status === status && other.headers[name] === headers[name]);
  const revealing = (['etag', 'last-modified', 'content-range'] as const).filter(
    name => headers[name] !== undefined && !isOfMissing(name),
  );
  return [
    ...(containsPaid(bytes, paid.sha256) ? [`answers ${status} with the document as its body`] : []),
    ...revealing.map(name => `answers ${status} with the header ${name}: ${headers[name] ?? ''}`),
    ...(bytes.length === 0 && length === String(paid.bytes) && !isOfMissing('content-length')
      ? [`answers ${status} with the document's Content-Length`]
      : []),
  ];
}

/** True if an answer is the paid document with this digest, or contains rows or signatures in JSON. */
function containsPaid(bytes: Buffer, digest: string): boolean {
  const text = bytes.toString('utf8');
  return sha256(bytes) === digest || /"rows"\s*:\s*\[\s*\{/.test(text) || /"sig"\s*:\s*"[0-9a-f]{64}"/.test(text);
}

type Attempt = Omit<Request, 'maxBytes'>;

const METHODS = ['HEAD', 'OPTIONS', 'POST', 'PATCH', 'TRACE', 'PROPFIND', 'GETX'];

// The payment headers are invalid: base64 of `{}`, and of an unknown version.
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  {Range: 'bytes=0-0'},
  {'If-None-Match': '*'},
  {'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT'},
  {'PAYMENT-SIGNATURE': 'e30='},
  {'X-PAYMENT': 'eyJ4NDAyVmVyc2lvbiI6MX0='},
  {'X-HTTP-Method-Override': 'HEAD'},
  {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0 (compatible)'},
];

/** Returns spellings, methods and headers that have bypassed paywalls. The methods are safe on any server: no `PUT`, no `DELETE`. */
function attemptsAt(path: string, origin: string): Attempt[] {
  const targets = [path, ...misspellings(path), origin + path];
  return [
    ...METHODS.map(method => ({method, target: path})),
    ...HEADERS.map(headers => ({target: path, headers})),
    ...targets.slice(1).map(target => ({target})),
    ...targets.slice(1, 6).map(target => ({method: 'HEAD', target})),
  ];
}

function misspellings(path: string): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const encoded = (text: string) => Array.from(text, letter => `%${letter.charCodeAt(0).toString(16)}`).join('');
  const first = encoded(name.slice(0, 1)) + name.slice(1);
  return [
    `/api/v1/${first}`,
    `/api/v1//${name}`,
    `/api/v1/samples/..%2f${name}`,
    `/api/v1/samples/../${name}`,
    `/api/v1/${encoded(name)}`,
    `/${path}`,
    `/api/v1/./${name}`,
    `/api/v1/%2e/${name}`,
    `/api/v1/samples/%2e%2e/${name}`,
    `/api/v1/samples/..;/${name}`,
    `/api%2fv1%2f${name}`,
    `/api/v1%2f${name}`,
    `/api/v1\\${name}`,
    `/api/v1%5c${name}`,
    `/api/v1/${first.replaceAll('%', '%25')}`,
    `/API/V1/${name.toUpperCase()}`,
    `/api/v1/${name.toUpperCase()}`,
    ...['/', '/.', '.json', '.html', '/index.html', '?', '?x=1', '?.json', '%3f', '#', '%23', ';', ';.json', '.'].map(
      ending => path + ending,
    ),
    ...['%00', '%20', '%0a', '%2f', '~', '.gz', '*'].map(ending => path + ending),
  ];
}
