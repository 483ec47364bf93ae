import type {Fault} from './fault.ts';
import {isLoopback} from './loopback.ts';
import {networkOf} from './networks.ts';
import {SITE_FILE} from './paths.ts';
import {SHIPPED_PAYEE} from './payees.ts';
import type {Catalogue} from './shapes.ts';

/** Facilitators that settle only on test networks. */
const TEST_FACILITATORS = ['x402.org', 'www.x402.org'];

/** A facilitator, with its origin: the environment or `data/site.json`. */
export interface NamedFacilitator {
  readonly url: string;
  readonly isFromEnvironment: boolean;
}

/**
 * Returns errors for settings that are only suitable for tests, if the site accepts real money.
 * @param facilitator undefined if the host or the gate settles payments itself
 * @param rpcUrl the gate's own node of the chain
 */
export async function realMoneyFaults(
  {payment, base_url}: Pick<Catalogue, 'payment' | 'base_url'>,
  {facilitator, rpcUrl}: {readonly facilitator?: NamedFacilitator | undefined; readonly rpcUrl?: string | undefined},
): Promise<Fault[]> {
  const networks = await Promise.all(payment.accepts.map(({network}) => networkOf(network)));
  const [first] = networks.filter(({isTest}) => !isTest);
  if (!first) return [];
  const reason = `but payments on ${first.name} are real money`;
  const rule = `is not set, ${reason}: without a node of the chain, a lost answer can make a buyer pay twice`;
  return [
    ...payment.accepts.flatMap(({pay_to}, at) =>
      demonstrationPayeeFaults(pay_to, `payment.accepts[${at}].pay_to`, reason),
    ),
    ...originFaults(base_url, reason),
    ...(facilitator ? facilitatorFaults(facilitator, reason) : []),
    ...(facilitator && rpcUrl === undefined ? [{code: 'FZ506' as const, field: 'FROZEN_RPC_URL', rule}] : []),
  ];
}

function demonstrationPayeeFaults(value: string, field: string, reason: string): Fault[] {
  if (value.toLowerCase() !== SHIPPED_PAYEE.toLowerCase()) return [];
  return [
    {code: 'FZ506', file: SITE_FILE, field, value, rule: `is the payee of the demonstration, not yours, ${reason}`},
  ];
}

function originFaults(value: string, reason: string): Fault[] {
  const fault = (rule: string): Fault => ({
    code: 'FZ506',
    file: SITE_FILE,
    field: 'base_url',
    value,
    rule: `${rule}, ${reason}`,
  });
  const {protocol, hostname} = new URL(value);
  return [
    ...(/(^|\.)example$/.test(hostname) || isLoopback(hostname) ? [fault('is a host that no buyer can reach')] : []),
    ...(protocol === 'http:' ? [fault('is not https:')] : []),
  ];
}

function facilitatorFaults({url: value, isFromEnvironment}: NamedFacilitator, reason: string): Fault[] {
  const place = isFromEnvironment
    ? {field: 'FROZEN_FACILITATOR_URL'}
    : {file: SITE_FILE, field: 'payment.facilitator_url'};
  const fault = (rule: string): Fault => ({code: 'FZ506', ...place, value, rule: `${rule}, ${reason}`});
  const {protocol, hostname} = new URL(value);
  return [
    ...(TEST_FACILITATORS.includes(hostname) ? [fault('settles only test money')] : []),
    ...(protocol === 'http:' && !isLoopback(hostname) ? [fault('is not https:')] : []),
  ];
}
