import type {Claimant} from '../limits.ts';
import {contractSigner, INVALID_SIGNATURE} from '../chain/signature.ts';
import type {Payment} from '../protocol/payment.ts';
import {UNAVAILABLE} from '../retry.ts';
import type {PaymentServices} from '../services.ts';
import {USED} from './settle.ts';

/** Why a payment does not prove its sender. `none`: it can buy, and cannot collect. */
type ProofFault = typeof UNAVAILABLE | {readonly kind: 'none'} | {readonly kind: 'refused'; readonly reason: string};

/** Returns why it is not proven that the payer's contract signed a payment, or undefined if it is. */
async function signerFault(payment: Payment, chain: PaymentServices['chain']): Promise<ProofFault | undefined> {
  switch (await contractSigner(payment, chain)) {
    case 'contract':
      return undefined;
    case 'unavailable':
      return UNAVAILABLE;
    case 'forged':
      return {kind: 'refused', reason: INVALID_SIGNATURE};
    case 'unproven':
      // Without a node, a contract wallet can buy. It cannot collect, because the facilitator's verification proves no identity.
      return {kind: 'none'};
  }
}

/** Returns why an unsettled payment does not prove its sender, or undefined if it does: it may be forged, or copied from the chain. */
export async function proofFault(
  payment: Payment,
  {payer, isByKey}: Claimant,
  {chain, clock}: PaymentServices,
): Promise<ProofFault | undefined> {
  const fault = isByKey ? undefined : await signerFault(payment, chain);
  if (fault) return fault;
  const {payload, requirements} = payment;
  const {nonce, validBefore} = payload.authorization;
  const {network, asset, payTo, amount} = requirements;
  const authorization = {network, asset, payTo, amount, nonce, payer, validBefore: Number(validBefore)};
  const status = await chain?.find(authorization, clock());
  if (!status || status.kind === 'unused') return undefined;
  return status.kind === 'no answer' ? UNAVAILABLE : {kind: 'refused', reason: USED};
}
