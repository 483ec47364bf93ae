import {isOverAt} from '../../paywall/payments/chain/authorization-status.ts';
import {chainAt} from '../../paywall/payments/chain/chain.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import type {Payment} from './payments.ts';

/** What became of an authorization. */
export type Fate =
  /** It has paid the payee. */
  | {readonly kind: 'paid'; readonly transaction: string}
  /** It has paid nobody, and never will. */
  | {readonly kind: 'void'}
  /** It was not used, and still can be. */
  | {readonly kind: 'alive'};

/** Asks a node of the chain what became of a payment. Throws `InputError` where it does not say. */
export async function fateOf(payment: Payment, rpcUrl: string): Promise<Fate> {
  const {payer, nonce, signedAt} = payment;
  const asked = {...payment, payer: payer.toLowerCase(), nonce: nonce.toLowerCase()};
  const finding = await chainAt(rpcUrl).find(asked, Date.parse(signedAt));
  switch (finding?.kind) {
    case 'paid':
      return finding;
    case 'used elsewhere':
      return {kind: 'void'};
    case 'unused':
      return {kind: isOverAt(finding.at, payment) ? 'void' : 'alive'};
    case 'no answer':
    case undefined: {
      const rule = finding ? 'does not say what became of a payment' : `is no node of ${payment.network}`;
      throw new InputError({file: shownAddress(rpcUrl, 'origin'), rule});
    }
  }
}
