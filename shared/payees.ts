import type {Network} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {validate as isAddress} from 'ox/Address';
import {networkOf} from './networks.ts';
import type {Catalogue} from './shapes.ts';

/** Who is paid on one network (CAIP-2). */
export type Payee = Readonly<Catalogue['payment']['accepts'][number]>;

/** Why a payee gets no money: its address is none, x402 knows no dollar on its network, or nobody owns its address. */
export type PayeeFault = 'no-address' | 'no-dollar' | 'nobody';

// Zero, 0x1111…1111 and their kind are placeholders; the other is where tokens are sent to be destroyed.
const placeholder = /^0x(.)\1{39}$/i;
const burn = /^0x0{36}dead$/i;

/** Everything that keeps a payee from getting real money. An address in mixed case must have its checksum (EIP-55). */
export async function payeeFaults({network, pay_to}: Payee): Promise<PayeeFault[]> {
  const faults: PayeeFault[] = [];
  if (!isAddress(pay_to)) faults.push('no-address');
  if (!(await hasDollar(network))) faults.push('no-dollar');
  if ((placeholder.test(pay_to) || burn.test(pay_to)) && !(await networkOf(network)).isTest) faults.push('nobody');
  return faults;
}

/** Whether some networks have real money and some have test money, for which anybody would get what others pay for. */
export async function isMoneyMixed(payees: readonly Payee[]): Promise<boolean> {
  return (
    payees.length > 1 &&
    new Set((await Promise.all(payees.map(({network}) => networkOf(network)))).map(({isTest}) => isTest)).size > 1
  );
}

/** Whether a price in dollars means anything on a network: whether x402 knows a token there that is one. */
async function hasDollar(network: string): Promise<boolean> {
  const parsed = new ExactEvmScheme().parsePrice('$1', network as Network);
  return parsed.then(
    () => true,
    () => false,
  );
}

/** The payee of the demonstration data that comes with the tool. */
export const SHIPPED_PAYEE = '0x041ec56D29fd9dB68be5bD58D63D42dd181A65C2';
