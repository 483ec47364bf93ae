import type {Fault} from '../../shared/fault.ts';
import {isLoopback} from '../../shared/loopback.ts';
import {networkOf} from '../../shared/networks.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import {SHIPPED_PAYEE} from '../../shared/payees.ts';
import type {Catalogue} from '../../shared/shapes.ts';

/** Facilitators that settle on test networks alone. */
const FOR_TESTS = ['x402.org', 'www.x402.org'];

/** A facilitator, and whether it is the one of the environment, in place of the one in `data/site.json`. */
export interface NamedFacilitator {
  readonly url: string;
  readonly isFromEnvironment: boolean;
}

/** Without a node nothing shows what became of a settlement whose answer was lost. */
const NO_NODE = {
  file: 'environment',
  field: 'RPC_URL',
  rule: 'is not set: a gate needs a node of the chain, or a lost answer can cost a buyer a second payment',
};

/**
 * What must not be left from trying things out if a site takes real money.
 *
 * @param facilitator undefined if the host or the gate settles by itself
 * @param rpcUrl the gate's own node of the chain
 */
export async function realMoneyFaults(
  {payment, base_url}: Pick<Catalogue, 'payment' | 'base_url'>,
  {facilitator, rpcUrl}: {readonly facilitator?: NamedFacilitator | undefined; readonly rpcUrl?: string | undefined},
): Promise<Fault[]> {
  const networks = await Promise.all(payment.accepts.map(({network}) => networkOf(network)));
  const [first] = networks.filter(({isTest}) => !isTest);
  if (!first) return [];
  const onMain = `on ${first.name}, where money is real`;
  return [
    ...payment.accepts.flatMap(({pay_to}, at) => payeeFaults(pay_to, `payment.accepts[${at}].pay_to`, onMain)),
    ...originFaults(base_url, onMain),
    ...(facilitator ? facilitatorFaults(facilitator, onMain) : []),
    ...(facilitator && rpcUrl === undefined ? [{...NO_NODE, rule: `${NO_NODE.rule}, ${onMain}`}] : []),
  ];
}

function payeeFaults(value: string, field: string, onMain: string): Fault[] {
  if (value.toLowerCase() !== SHIPPED_PAYEE.toLowerCase()) return [];
  return [{file: SITE_FILE, field, value, rule: `is the payee of the demonstration, and not yours, ${onMain}`}];
}

function originFaults(value: string, onMain: string): Fault[] {
  const fault = (rule: string) => ({file: SITE_FILE, field: 'base_url', value, rule: `${rule}, ${onMain}`});
  const {protocol, hostname} = new URL(value);
  return [
    ...(/(^|\.)example$/.test(hostname) || isLoopback(hostname) ? [fault('is a host that no buyer reaches')] : []),
    ...(protocol === 'http:' ? [fault('is not https:')] : []),
  ];
}

function facilitatorFaults({url: value, isFromEnvironment}: NamedFacilitator, onMain: string): Fault[] {
  const place = isFromEnvironment
    ? {file: 'environment', field: 'FACILITATOR_URL'}
    : {file: SITE_FILE, field: 'payment.facilitator_url'};
  const fault = (rule: string) => ({...place, value, rule: `${rule}, ${onMain}`});
  const {protocol, hostname} = new URL(value);
  return [
    ...(FOR_TESTS.includes(hostname) ? [fault('takes test money alone')] : []),
    ...(protocol === 'http:' && !isLoopback(hostname) ? [fault('is not https:')] : []),
  ];
}
