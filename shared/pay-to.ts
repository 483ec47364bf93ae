import type {Catalogue} from './shapes.ts';
import {isMoneyMixed, payeeFaults, type Payee, type PayeeFault} from './payees.ts';

const place = 'payment.accepts in data/site.json';

/** Returns what is wrong with the payees of a site, as a sentence without a full stop, or undefined if they are valid. */
export async function payToFault({payment: {accepts}}: Pick<Catalogue, 'payment'>): Promise<string | undefined> {
  if (accepts.length === 0) return `The payee is missing: ${place} is empty`;
  for (const payee of accepts) {
    if (payee.pay_to === '') return `The payee on ${payee.network} is missing: pay_to is empty in ${place}`;
    const [fault] = await payeeFaults(payee);
    if (fault) return sentences[fault](payee);
  }
  return (await isMoneyMixed(accepts))
    ? `Test networks cannot be combined with main networks, because test money would buy every document: see ${place}`
    : undefined;
}

const sentences: Readonly<Record<PayeeFault, (payee: Payee) => string>> = {
  'no-address': ({network, pay_to}) =>
    `${JSON.stringify(pay_to)}, the payee on ${network}, is not a valid address: see ${place}`,
  'no-dollar': ({network}) =>
    `x402 does not have a dollar token on ${network} that accepts authorizations (EIP-3009): see ${place}`,
  nobody: ({network, pay_to}) =>
    `Money paid on ${network} would be lost: ${pay_to} is a placeholder without an owner, see pay_to in ${place}`,
};
