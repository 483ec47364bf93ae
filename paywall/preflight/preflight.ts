import type {PaymentRequirements} from '@x402/core/types';
import type {ErrorCode} from '../../shared/error-codes.ts';
import {type Fault, refuse} from '../../shared/fault.ts';
import {requirementsOf} from '../../shared/payment-requirements.ts';
import {checkChain} from './check-chain.ts';
import {checkFacilitator} from './check-facilitator.ts';
import type {PreflightResult} from './setup.ts';
import {realMoneyFaults} from '../../shared/real-money.ts';
import type {Setup} from './setup.ts';

/** The code of an error by the kind of its check. */
const CODES: Readonly<Record<string, ErrorCode>> = {facilitator: 'FZ502', payee: 'FZ207'};

const ZERO_ADDRESS = /^0x0{40}$/;

/** Checks with the facilitator and the chain whether a sale can succeed. Takes a few seconds, pays nothing and never throws. */
export async function preflight({rules, facilitator, rpcUrl, settles = false}: Setup): Promise<PreflightResult[]> {
  const requirements = await requirementsOf({price: '$1'}, rules);
  const networks = rules.payment.accepts.map(({network}) => network);
  const [ofFacilitator, ofChain] = await Promise.all([
    facilitator ? checkFacilitator(facilitator.url, facilitator.credentials, networks) : [],
    rpcUrl === undefined ? [] : checkChain(rpcUrl, requirements, settles),
  ]);
  return [...ofFacilitator, ...requirements.flatMap(payeeErrors), ...ofChain];
}

/** Throws `InputError` with everything that prevents sales or would lose real money. Otherwise returns the results. */
export async function requirePreflight(setup: Setup): Promise<PreflightResult[]> {
  const [faults, results] = await Promise.all([realMoneyFaults(setup.rules, setup), preflight(setup)]);
  const errors = results.filter(({state}) => state === 'error');
  refuse([
    ...faults,
    ...errors.map(({kind, subject, message}): Fault => ({
      code: CODES[kind] ?? 'FZ503',
      subject: `${kind} ${subject}`,
      rule: message,
    })),
  ]);
  return results;
}

function payeeErrors({payTo, asset, network}: PaymentRequirements): PreflightResult[] {
  const error = (message: string): PreflightResult[] => [{state: 'error', kind: 'payee', subject: payTo, message}];
  if (ZERO_ADDRESS.test(payTo)) return error(`is the zero address, to which the token on ${network} refuses transfers`);
  return payTo.toLowerCase() === asset.toLowerCase() ? error(`is the token itself on ${network}`) : [];
}
