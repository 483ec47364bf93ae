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

type PaymentSettings = Pick<Catalogue, 'payment' | 'base_url'>;

interface Gate {
  /** Undefined if the host or the gate settles payments itself. */
  readonly facilitator?: NamedFacilitator | undefined;
  /** The gate's own node of the chain. */
  readonly rpcUrl?: string | undefined;
}

/** Returns errors for settings that are only suitable for tests, if the site accepts real money. */
export async function realMoneyFaults(site: PaymentSettings, gate: Gate): Promise<Fault[]> {
  const networks = await Promise.all(site.payment.accepts.map(({network}) => networkOf(network)));
  const main = networks.filter(({isTest}) => !isTest).map(({name}) => name);
  return faultsOnMain(main, site, gate);
}

/**
 * Returns the same errors for a site that accepts real money on these networks. A Worker does not load the names of all networks.
 * @param networks the names of main networks
 */
export function faultsOnMain(
  networks: readonly string[],
  {payment, base_url}: PaymentSettings,
  {facilitator, rpcUrl}: Gate,
): Fault[] {
  const [network, ...others] = networks;
  if (network === undefined) return [];
  const reason = `but payments on ${network} are real money`;
  const rule = `is not set, ${reason}: without a node of the chain, a lost answer can make a buyer pay twice`;
  const two = `accepts real money on ${networks.join(' and ')}, but a gate has a node of one network`;
  return [
    ...payment.accepts.flatMap(({pay_to}, at) =>
      demonstrationPayeeFaults(pay_to, `payment.accepts[${at}].pay_to`, reason),
    ),
    ...originFaults(base_url, reason),
    ...(facilitator ? facilitatorFaults(facilitator, reason) : []),
    ...(facilitator && others.length > 0
      ? [
          {
            code: 'FZ506' as const,
            file: SITE_FILE,
            field: 'payment.accepts',
            rule: two,
            fix: 'Accept one main network.',
          },
        ]
      : []),
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
