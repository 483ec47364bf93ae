import type {Hex} from 'viem';
import {sleep} from '../../paywall/payments/services.ts';
import {messageOf} from '../paywall/forge.ts';
import {minedIn, type Transfer} from './chain.ts';
import {NETWORK, type Authorization} from './keys.ts';
import type {Handler} from './network.ts';
import type {World} from './world.ts';

const FAULTS = [
  'lost answer', // settles and never answers
  'late answer', // settles and answers after the buyer has given up
  'prose', // settles and answers `success: false` with an unknown reason
  'internal_error', // settles and answers with a code that does not show that there was no broadcast
  'half', // answers with half of a JSON text
  'credulous', // reports every payment as valid, and sends invalid ones too, which revert
  'credulous', // twice as frequent, because only two such answers to one payment have an effect
  'no connection', // cannot be reached
  '429', // does nothing, and answers 429 or 500
  '500',
] as const;
type Fault = 'none' | (typeof FAULTS)[number];

/** A signed authorization in JSON. */
export type Payload = Readonly<{signature: Hex; authorization: Record<keyof Authorization, string>}>;

const SETTLE_TIMEOUT_MS = 40_000;

/** A facilitator over HTTP that settles on the simulated chain. `settling` has the transactions that it waits for, and answers in time. */
export function facilitator(world: World, settling: Set<Hex>): Handler {
  const {chain, random, conditions} = world;
  return async function facilitator({path, body}) {
    const fault = world.hostFault('facilitator', conditions.facilitatorFaults, FAULTS);
    if (fault !== 'none') world.trace(() => `the facilitator's next answer: ${fault}`);
    if (fault === 'no connection') throw Object.assign(new Error('not connected'), {code: 'ECONNREFUSED'});
    if (fault === '429' || fault === '500') return Response.json({error: 'try again'}, {status: Number(fault)});
    const {paymentPayload} = JSON.parse(body) as {paymentPayload: {payload: Payload}};
    const call = callOf(paymentPayload.payload);
    const reason = path === 'verify' && fault === 'credulous' ? undefined : chain.faultOf(call, chain.head);
    const answer = path === 'verify' ? {isValid: !reason, invalidReason: reason} : await settle(call, fault, reason);
    const text = JSON.stringify({payer: call.authorization.from, network: NETWORK, ...answer});
    return new Response(fault === 'half' ? text.slice(0, text.length / 2) : text);
  };

  async function settle(call: Transfer, fault: Fault, reason?: string): Promise<object> {
    const failed = (errorReason: string, transaction = '') => ({success: false, transaction, errorReason});
    if (reason !== undefined && fault === 'credulous') return failed('invalid_transaction_state', random.hex(32));
    if (reason !== undefined) return failed(reason);
    const isPrivate = random.chance(0.5);
    const delayMs = random.chance(0.1) ? random.integer(0, 30_000) : 0;
    const {hash} = chain.broadcast(call, {isPrivate, notBefore: Date.now() + delayMs});
    if (fault === 'lost answer') await new Promise(() => undefined);
    if (fault === 'prose') return failed('The relay could not confirm this payment');
    if (fault === 'internal_error') return failed('internal_error');
    if (fault === 'late answer') await sleep(random.integer(20_000, 50_000));
    else settling.add(hash);
    let mined;
    for (const end = Date.now() + SETTLE_TIMEOUT_MS; Date.now() < end && !mined;) {
      await sleep(500);
      mined = minedIn(chain.blocks, hash);
    }
    settling.delete(hash);
    if (mined?.isSuccess) return {success: true, transaction: hash};
    return mined ? failed('invalid_transaction_state', hash) : failed('transaction_timeout');
  }
}

/** The call of the token that settles a payment. */
export function callOf({signature, authorization}: Payload): Transfer {
  return {kind: 'transfer', signature, authorization: messageOf(authorization)};
}
