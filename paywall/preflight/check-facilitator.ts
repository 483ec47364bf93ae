import type {Credentials} from '../payments/facilitator/credentials.ts';
import {FacilitatorClient, type SupportedAnswer} from '../payments/facilitator/facilitator-client.ts';
import {errorMessage} from '../../shared/error-message.ts';
import type {PreflightResult} from './setup.ts';

const TIMEOUT_MS = 3_000;
/** Milliseconds by which two clocks may differ: less than the tolerance for payments, more than an answer may take. */
const CLOCK_TOLERANCE_MS = 30_000;

/** Checks whether a facilitator accepts payments on these networks, and whether its clock agrees with ours. */
export async function checkFacilitator(
  url: string,
  credentials: Credentials,
  networks: readonly string[],
): Promise<PreflightResult[]> {
  const {host} = new URL(url);
  const warning = (message: string): PreflightResult => ({
    state: 'warning',
    kind: 'facilitator',
    subject: host,
    message,
  });
  try {
    const {status, body, headers} = await new FacilitatorClient(url, credentials).supported(TIMEOUT_MS);
    const clock = clockResult(host, clockAhead(headers, Date.now()));
    if (status === 401 || status === 403)
      return [warning(`answers GET /supported with status ${status}: ${credentials.remedy}`), clock];
    if (status !== 200 || !body)
      return [warning(`answers GET /supported with status ${status} and no list of x402 payment kinds`)];
    return [...networks.map(network => networkResult(host, network, body)), clock];
  } catch (error) {
    return [warning(`gives no usable answer to GET /supported: ${errorMessage(error)}`)];
  }
}

function networkResult(host: string, network: string, {kinds}: SupportedAnswer): PreflightResult {
  const [namespace = ''] = network.split(':');
  const isAccepted = kinds.some(
    kind =>
      kind.x402Version === 2 &&
      kind.scheme === 'exact' &&
      (kind.network === network || kind.network === `${namespace}:*`),
  );
  const checked = {kind: 'facilitator', subject: host} as const;
  return isAccepted
    ? {...checked, state: 'ok', message: `accepts payments on ${network}`}
    : {
        ...checked,
        state: 'error',
        message: `accepts no payments on ${network} (x402 version 2, scheme exact): see payment in data/site.json`,
      };
}

/**
 * Returns the milliseconds by which our clock is ahead of a server's clock, according to the header `Date` of its answer (RFC 9110, section
 * 6.6.1). Returns 0 if the server sends no date.
 */
function clockAhead(headers: Pick<Headers, 'get'>, now: number): number {
  // A cache keeps the date of the response that it stored, and reports its age.
  const date = Date.parse(headers.get('Date') ?? '') + 1000 * (Number(headers.get('Age')) || 0);
  return Number.isNaN(date) ? 0 : now - date;
}

function clockResult(host: string, ahead: number): PreflightResult {
  const checked = {kind: 'clock', subject: 'this machine'} as const;
  if (Math.abs(ahead) <= CLOCK_TOLERANCE_MS)
    return {...checked, state: 'ok', message: `has the same time as the facilitator ${host}`};
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const message = `is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the facilitator ${host}: correct its clock`;
  return {...checked, state: 'warning', message};
}
