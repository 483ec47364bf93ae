import assert from 'node:assert/strict';
import type {FixtureSite} from './fixture-site.ts';
import {canary} from './fixture-site.ts';
import {decoded} from './hand-made.ts';
import {leakTable, type Leak} from './leak-table.ts';
import {rawExchange} from './raw-exchange.ts';

export const LEAKS_AT_LEAST = 150;

const AT_ONCE = 16;
const EXCUSED_PATIENCE_MS = 1_500;

export interface TryOptions {
  /**
   * True if the runtime around the gate answers malformed requests itself, perhaps with a 5xx or without a response.
   */
  readonly runtimeRefuses?: boolean;
}

/**
 * Runs the leak table against a paid path of a gate and returns how many attempts it made. Rejects with all failures: a
 * byte, a length or an entity tag of the document, a 5xx, no response, or a server that has ended.
 */
export async function tryLeaks(
  url: string,
  site: FixtureSite,
  path: string,
  options: TryOptions = {},
): Promise<number> {
  const free = '/api/v1/samples/softfail3.json';
  const other = site.paidPaths.find(paid => paid !== path) ?? path;
  const [challenge, otherChallenge] = await Promise.all([challengeOf(url + path), challengeOf(url + other)]);
  const table = await leakTable({host: new URL(url).host, path, free, challenge, otherChallenge});
  // Malformed requests come last, because a runtime that fails on one may delay others.
  const leaks = table.toSorted((one, other) => Number(one.malformed ?? false) - Number(other.malformed ?? false));
  const freeTags = await tagsOf(url, [free, '/']);
  const faults: string[] = [];
  for (let start = 0; start < leaks.length; start += AT_ONCE) {
    const batch = leaks.slice(start, start + AT_ONCE);
    const found = await Promise.all(
      batch.map(async leak => {
        const excused = Boolean(options.runtimeRefuses && leak.malformed);
        const answer = await rawExchange(url, leak.request, excused ? EXCUSED_PATIENCE_MS : undefined).catch(String);
        const reported = leaksIn(answer, site, freeTags);
        const failed = excused ? [] : failuresIn(answer, leak);
        return [...reported, ...failed].map(fault => `${leak.name}: ${fault}`);
      }),
    );
    faults.push(...found.flat());
    if (!(await isAlive(url + free))) faults.push(`the server is gone after ${batch.map(({name}) => name).join(', ')}`);
  }
  assert.deepEqual(faults, []);
  return leaks.length;
}

/** Returns what a response reveals about a paid document. */
function leaksIn(answer: string, site: FixtureSite, freeTags: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  if (answer.includes(canary)) faults.push('a byte of a paid document');
  for (const {1: length, index} of answer.matchAll(/^(?:content-length|content-range):.*?(\d+)\r$/gim)) {
    const body = answer.slice(answer.indexOf('\r\n\r\n', index) + 4);
    // The body of a 402 may happen to have the length of a document.
    const isOfChallenge = body.includes('"title":"Payment required"') && body.length === Number(length);
    if (isOfChallenge) continue;
    if (site.paidPaths.some(path => Buffer.byteLength(site.files.get(path) ?? '') === Number(length))) {
      faults.push('the length of a paid document');
    }
  }
  for (const [, tag = ''] of answer.matchAll(/^etag: *(.*?)\r$/gim)) {
    if (!freeTags.has(tag.replace('W/', ''))) faults.push(`an entity tag ${tag}`);
  }
  return faults;
}

/** Returns other errors of a response. A tunnel may be refused by closing the connection. */
function failuresIn(answer: string, {request}: Leak): string[] {
  if (answer === '' && request.startsWith('CONNECT')) return [];
  if (!answer.startsWith('HTTP/1.')) return [answer || 'no answer'];
  const statuses = Array.from(answer.matchAll(/HTTP\/1\.[01] (\d{3})/g), ([, status]) => Number(status));
  return statuses.filter(status => status >= 500).map(status => `status ${status}`);
}

/**
 * Returns true if a free document is still served. A connection that a malformed request has damaged may fail first.
 */
async function isAlive(url: string): Promise<boolean> {
  for (let attempt = 0; attempt < 4; attempt++) {
    const response = await fetch(url, {signal: AbortSignal.timeout(5_000)}).catch(() => undefined);
    const text = await response?.text().catch(() => '');
    if (response?.ok && text) return true;
  }
  return false;
}

async function challengeOf(url: string) {
  const response = await fetch(url);
  assert.equal(response.status, 402);
  return decoded(response, 'PAYMENT-REQUIRED');
}

async function tagsOf(url: string, paths: readonly string[]): Promise<Set<string>> {
  const answers = await Promise.all(paths.map(path => fetch(url + path)));
  return new Set(answers.map(answer => (answer.headers.get('ETag') ?? '').replace('W/', '')));
}
