import type {Credentials} from '../payments/facilitator/credentials.ts';
import {FacilitatorClient, type SupportedAnswer} from '../payments/facilitator/facilitator-client.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {clockAhead, CLOCK_TOLERANCE_MS} from './clock.ts';
import type {Finding} from './finding.ts';

const TIMEOUT_MS = 3_000;

/** Asks a facilitator whether it takes payments on these networks, and what time it is. */
export async function askFacilitator(
  url: string,
  credentials: Credentials,
  networks: readonly string[],
): Promise<Finding[]> {
  const {host} = new URL(url);
  const doubt = (words: string): Finding => ({state: 'doubt', what: 'facilitator', subject: host, words});
  try {
    const {status, body, headers} = await new FacilitatorClient(url, credentials).supported(TIMEOUT_MS);
    const ahead = clockAhead(headers, Date.now());
    if (status === 401 || status === 403)
      return [
        doubt(`answers ${status} where it is asked what it takes: ${credentials.remedy}`),
        ...clockFindings(host, ahead),
      ];
    if (status !== 200 || !body)
      return [doubt(`answers ${status} and not what x402 asks for, where it is asked what it takes`)];
    return [...networks.map(network => kindFinding(host, network, body)), ...clockFindings(host, ahead)];
  } catch (error) {
    return [doubt(`does not say what it takes: ${errorMessage(error)}`)];
  }
}

function kindFinding(host: string, network: string, {kinds}: SupportedAnswer): Finding {
  const [namespace = ''] = network.split(':');
  const isTaken = kinds.some(
    kind =>
      kind.x402Version === 2 &&
      kind.scheme === 'exact' &&
      (kind.network === network || kind.network === `${namespace}:*`),
  );
  return isTaken
    ? {state: 'fine', what: 'facilitator', subject: host, words: `takes payments on ${network}`}
    : {
        state: 'fault',
        what: 'facilitator',
        subject: host,
        words: `takes no payments on ${network} (x402 version 2, scheme exact): see payment in data/site.json`,
      };
}

function clockFindings(host: string, ahead: number): Finding[] {
  const subject = 'this machine';
  const seconds = Math.round(Math.abs(ahead) / 1000);
  if (Math.abs(ahead) <= CLOCK_TOLERANCE_MS)
    return [{state: 'fine', what: 'clock', subject, words: `has the time of the facilitator ${host}`}];
  const words = `is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the facilitator ${host}: set its clock right`;
  return [{state: 'doubt', what: 'clock', subject, words}];
}
