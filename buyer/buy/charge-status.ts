import {isOverAt, statusesOf, type AuthorizationStatus} from '../../shared/evm/authorization-status.ts';
import {nodeAt} from '../../shared/evm/node.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import type {Payment} from './payments.ts';

/** The outcome of an authorization. */
export type ChargeStatus =
  /** It paid the payee. */
  | {readonly kind: 'paid'; readonly transaction: string}
  /** It was cancelled, paid another payee, or expired unused, so it cannot pay any more. */
  | {readonly kind: 'void'}
  /** It is unused and still valid. */
  | {readonly kind: 'alive'};

/** Gets the outcome of a payment from a node of the chain. Throws `InputError` if the node does not answer, or not conclusively. */
export async function chargeStatusOf(payment: Payment, rpcUrl: string): Promise<ChargeStatus> {
  const status = await statusOf(payment, rpcUrl);
  switch (status.kind) {
    case 'paid':
      return status;
    case 'used elsewhere':
      return {kind: 'void'};
    case 'unused':
      return {kind: isOverAt(status.at, payment) ? 'void' : 'alive'};
    case 'no answer':
      throw nodeFault(rpcUrl, 'gave no conclusive answer about a payment');
  }
}

async function statusOf(payment: Payment, rpcUrl: string): Promise<AuthorizationStatus> {
  const {network, payer, nonce, signedAt} = payment;
  const authorization = {...payment, payer: payer.toLowerCase(), nonce: nonce.toLowerCase()};
  try {
    const node = nodeAt(rpcUrl);
    if (`eip155:${await node.getChainId()}` !== network) throw nodeFault(rpcUrl, `is not a node of ${network}`);
    const [status] = await statusesOf(node, [authorization], Date.parse(signedAt));
    return status ?? {kind: 'no answer'};
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw nodeFault(rpcUrl, 'gave no conclusive answer about a payment', cause);
  }
}

function nodeFault(rpcUrl: string, rule: string, cause?: unknown): InputError {
  return new InputError({code: 'FZ503', subject: shownAddress(rpcUrl, 'origin'), rule}, {cause});
}
