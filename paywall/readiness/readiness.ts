import type {PaymentRequirements} from '@x402/core/types';
import {refuse} from '../../shared/fault.ts';
import type {Rules} from '../../shared/shapes.ts';
import type {Credentials} from '../payments/facilitator/credentials.ts';
import {requirementsOf} from '../payments/protocol/offer.ts';
import {askChain} from './ask-chain.ts';
import {askFacilitator} from './ask-facilitator.ts';
import type {Finding} from './finding.ts';
import {realMoneyFaults, type NamedFacilitator} from './real-money.ts';

/** What a gate sells with. */
export interface Setup {
  readonly rules: Pick<Rules, 'payment' | 'base_url'>;
  /** Nothing on a host that settles by itself. */
  readonly facilitator?: (NamedFacilitator & {readonly credentials: Credentials}) | undefined;
  /** A node of the chain. */
  readonly rpcUrl?: string | undefined;
  /** Whether the gate settles by itself, on the chain of that node alone. */
  readonly settles?: boolean;
}

const NOBODY = /^0x0{40}$/;

/** Asks facilitator and chain, within seconds, whether a sale can succeed. Pays nothing and never throws. */
export async function readiness({rules, facilitator, rpcUrl, settles = false}: Setup): Promise<Finding[]> {
  const requirements = await requirementsOf({price: '$1'}, rules);
  const networks = rules.payment.accepts.map(({network}) => network);
  const [ofFacilitator, ofChain] = await Promise.all([
    facilitator ? askFacilitator(facilitator.url, facilitator.credentials, networks) : [],
    rpcUrl === undefined ? [] : askChain(rpcUrl, requirements, settles),
  ]);
  return [...ofFacilitator, ...requirements.flatMap(payeeFaults), ...ofChain];
}

/** Throws `InputError` with everything that prevents sales or would lose real money. Returns the other findings. */
export async function refuseUnready(setup: Setup): Promise<Finding[]> {
  const [faults, findings] = await Promise.all([realMoneyFaults(setup.rules, setup), readiness(setup)]);
  const wrong = findings.filter(({state}) => state === 'fault');
  refuse([...faults, ...wrong.map(({what, subject, words}) => ({file: `${what} ${subject}`, rule: words}))]);
  return findings;
}

function payeeFaults({payTo, asset, network}: PaymentRequirements): Finding[] {
  const fault = (words: string): Finding[] => [{state: 'fault', what: 'payee', subject: payTo, words}];
  if (NOBODY.test(payTo)) return fault(`is nobody, whom the token on ${network} pays nothing`);
  return payTo.toLowerCase() === asset.toLowerCase() ? fault(`is the token itself on ${network}`) : [];
}
