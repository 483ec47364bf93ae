import type {Catalogue} from '../../shared/shapes.ts';
import {isMoneyMixed, payeeFaults, type Payee, type PayeeFault} from '../../shared/payees.ts';

const place = 'payment.accepts in data/site.json';

/** What is wrong with where the money goes, as a sentence without its full stop. */
export async function payToFault({payment: {accepts}}: Pick<Catalogue, 'payment'>): Promise<string | undefined> {
  if (accepts.length === 0) return `Nobody is paid: ${place} is empty`;
  for (const payee of accepts) {
    if (payee.pay_to === '') return `Nobody is paid on ${payee.network}: pay_to is empty in ${place}`;
    const [fault] = await payeeFaults(payee);
    if (fault) return sentences[fault](payee);
  }
  return (await isMoneyMixed(accepts)) ? `Test money would buy what others pay for: see ${place}` : undefined;
}

const sentences: Readonly<Record<PayeeFault, (payee: Payee) => string>> = {
  'no-address': ({network, pay_to}) =>
    `${JSON.stringify(pay_to)}, who is paid on ${network}, is no address: see ${place}`,
  'no-dollar': ({network}) => `x402 knows no dollar on ${network}: see ${place}`,
  nobody: ({network, pay_to}) =>
    `Money paid on ${network} would be lost: nobody owns ${pay_to}, see pay_to in ${place}`,
};
