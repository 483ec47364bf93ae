import {payToFault} from '../../paywall/site/pay-to.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {verdict, type Check} from './check.ts';

/** Whether money paid to the site reaches anybody. */
export async function payeeChecks(catalogue: Catalogue): Promise<Check[]> {
  const fault = await payToFault(catalogue);
  const payees = catalogue.payment.accepts.map(({network, pay_to}) => `${pay_to} on ${network}`).join(', ');
  return verdict('payee', 'catalogue', fault === undefined ? [] : [fault], payees);
}
