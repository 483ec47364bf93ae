import {isAddress} from 'viem';
import {hasDollar} from '../shared/dollar.ts';
import {isLostMoney, isMoneyMixed} from '../shared/lost-money.ts';
import type {Catalogue} from './site.ts';

const place = 'payment.accepts in data/site.json';

/** What is wrong with where the money goes, as a sentence without its full stop. */
export async function payToFault({payment: {accepts}}: Pick<Catalogue, 'payment'>): Promise<string | undefined> {
  if (accepts.length === 0) return `Nobody is paid: ${place} is empty`;
  for (const {network, pay_to} of accepts) {
    if (pay_to === '') return `Nobody is paid on ${network}: pay_to is empty in ${place}`;
    if (!isAddress(pay_to)) return `${JSON.stringify(pay_to)}, who is paid on ${network}, is no address: see ${place}`;
    if (!(await hasDollar(network))) return `x402 knows no dollar on ${network}: see ${place}`;
    if (await isLostMoney(network, pay_to)) {
      return `Money paid on ${network} would be lost: nobody owns ${pay_to}, see pay_to in ${place}`;
    }
  }
  const networks = accepts.map(({network}) => network);
  return (await isMoneyMixed(networks)) ? `Test money would buy what others pay for: see ${place}` : undefined;
}
