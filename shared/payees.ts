import type {Network} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {validate as isAddress} from 'ox/Address';
import {networkOf} from './networks.ts';
import type {Catalogue} from './shapes.ts';

/** A payee on one network (CAIP-2). */
export type Payee = Readonly<Catalogue['payment']['accepts'][number]>;

/**
 * Why a payee cannot be paid: its address is invalid, x402 lacks a dollar token with authorizations (EIP-3009) on its network, or its address
 * is not owned.
 */
export type PayeeFault = 'no-address' | 'no-dollar' | 'nobody';

// Addresses with one repeated digit (0x0000…, 0x1111…) are placeholders. Tokens are sent to `burn` to destroy them.
const placeholder = /^0x(.)\1{39}$/i;
const burn = /^0x0{36}dead$/i;

/** Returns all reasons why a payee cannot receive real money. An address in mixed case must have its checksum (EIP-55). */
export async function payeeFaults({network, pay_to}: Payee): Promise<PayeeFault[]> {
  const faults: PayeeFault[] = [];
  if (!isAddress(pay_to)) faults.push('no-address');
  if (!(await hasDollar(network))) faults.push('no-dollar');
  if ((placeholder.test(pay_to) || burn.test(pay_to)) && !(await networkOf(network)).isTest) faults.push('nobody');
  return faults;
}

/** True if some networks have real money and some have test money, with which anyone could buy every document. */
export async function isMoneyMixed(payees: readonly Payee[]): Promise<boolean> {
  return (
    payees.length > 1 &&
    new Set((await Promise.all(payees.map(({network}) => networkOf(network)))).map(({isTest}) => isTest)).size > 1
  );
}

/** True if x402 has a dollar token on a network, and the token accepts authorizations. The gate accepts no other payments. */
async function hasDollar(network: string): Promise<boolean> {
  const parsed = new ExactEvmScheme().parsePrice('$1', network as Network);
  return parsed.then(
    ({extra}) => (extra?.['assetTransferMethod'] ?? 'eip3009') === 'eip3009',
    () => false,
  );
}

/** The payee of the demonstration data in the package. */
export const SHIPPED_PAYEE = '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2';
