import {randomUUID} from 'node:crypto';
import {shownAddress} from '../../shared/shown-address.ts';
import {JSON_TYPE} from '../../shared/paths.ts';
import type {Catalogue, Entry} from '../../shared/shapes.ts';
import {failed, passed, unchecked, verdict, type Check} from './check.ts';
import {leakChecks, type Missing} from './leak-checks.ts';
import type {Read, SiteReader} from './site-reader.ts';
import {NoAnswer, type Answer, type Web} from './web.ts';
import {decodePaymentRequiredHeader} from '@x402/core/http';
import {PaymentRequiredV2Schema, type PaymentRequiredV2} from '@x402/core/schemas';
import {requirementsOf} from '../../shared/payment-requirements.ts';
import {offerChecks} from './receipt-payload.ts';

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
    place: {url: web.origin},
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
  return verdict('unknown path', '/api/v1/…', faults, 'answers 404 for a path that does not exist');
}

/** Compares the address of a live site with its `base_url`. A difference is not an error, because copies of a site may be checked. */
export function addressChecks(origin: string, {base_url}: Catalogue): Check[] {
  const read = `read at ${origin}; its documents name ${base_url}`;
  return [origin === base_url ? passed('address', origin, 'is the base_url') : unchecked('address', origin, read)];
}

type Requirement = Pick<PaymentRequiredV2['accepts'][number], 'scheme' | 'network' | 'amount' | 'asset' | 'payTo'>;

/**
 * Checks a 402. Its PAYMENT-REQUIRED must have exactly the price in the catalogue, for the site's payee, in the dollar token of the network.
 * Only this header is checked, because AWS WAF does not allow changes of body, cache headers, links or CORS.
 */
async function termChecks(answer: Answer, path: string, entry: Entry, catalogue: Catalogue): Promise<Check[]> {
  const asked = decoded(answer.headers['payment-required']);
  if (typeof asked === 'string') return [failed('402', path, asked)];
  const faults = await termFaults(asked, answer, entry, catalogue);
  const terms = verdict('402', path, faults, "asks for the price in the catalogue, paid to the site's payee");
  return [...terms, ...(await offerChecks(answer.bytes, path, entry, catalogue))];
}

async function termFaults(
  asked: PaymentRequiredV2,
  {headers}: Answer,
  entry: Entry,
  catalogue: Catalogue,
): Promise<string[]> {
  const expected = await expectedOf(entry, catalogue);
  if (typeof expected === 'string') return [expected];
  const cache = headers['cache-control'] ?? '';
  return [
    ...expected.flatMap(one => requirementFaults(one, asked.accepts)),
    ...asked.accepts
      .filter(({scheme, network}) => !expected.some(one => one.scheme === scheme && one.network === network))
      .map(({scheme, network}) => `also accepts ${scheme} on ${network}, which is not in the catalogue`),
    ...(/max-age\s*=\s*"?[1-9]/.test(cache)
      ? [`may be cached (${cache}), so a buyer who pays could receive it again`]
      : []),
  ];
}

function decoded(header: string | string[] | undefined): PaymentRequiredV2 | string {
  if (typeof header !== 'string') return 'has no PAYMENT-REQUIRED header';
  try {
    const {success, data, error} = PaymentRequiredV2Schema.safeParse(decodePaymentRequiredHeader(header));
    const [issue] = error?.issues ?? [];
    return success
      ? data
      : `PAYMENT-REQUIRED is not of x402 version 2: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  } catch {
    // The package throws different errors for invalid base64 and invalid JSON.
    return 'PAYMENT-REQUIRED is not base64 of JSON';
  }
}

/** Computes the requirements of this project's gate from the catalogue. */
async function expectedOf(entry: Entry, catalogue: Catalogue): Promise<readonly Requirement[] | string> {
  try {
    return await requirementsOf(entry, catalogue);
  } catch (error) {
    return `its price cannot be computed: ${(error as Error).message}`;
  }
}

function requirementFaults(expected: Requirement, accepts: readonly Requirement[]): string[] {
  const {scheme, network} = expected;
  const offers = accepts.filter(offer => offer.scheme === scheme && offer.network === network);
  if (offers.length === 0) return [`does not accept ${scheme} on ${network}, which the catalogue lists`];
  return offers.flatMap(offer =>
    (['amount', 'asset', 'payTo'] as const)
      // Addresses are compared without case.
      .filter(member => offer[member].toLowerCase() !== expected[member].toLowerCase())
      .map(member => `${member} is ${offer[member]}, not ${expected[member]}, on ${network}`),
  );
}
