import {x402ResourceServer} from '@x402/core/server';
import type {Network, PaymentRequirements} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import type {Catalogue, Rule} from './shapes.ts';

/** Returns the payment requirements of each network, with the price in atomic units of its dollar token. Needs no facilitator. */
export async function requirementsOf(
  {price}: Pick<Rule, 'price'>,
  {payment}: Pick<Catalogue, 'payment'>,
): Promise<PaymentRequirements[]> {
  const accepts = payment.accepts.map(({network, pay_to}) => ({
    scheme: 'exact',
    network: network as Network,
    payTo: pay_to,
    price,
  }));
  const kinds = accepts.map(({scheme, network}) => ({x402Version: 2, scheme, network}));
  const reject = () => Promise.reject(new Error('payment requirements are computed without a facilitator'));
  const getSupported = () => Promise.resolve({kinds, extensions: [], signers: {}});
  const server = new x402ResourceServer({getSupported, verify: reject, settle: reject});
  server.register('eip155:*', new ExactEvmScheme());
  await server.initialize();
  return (await Promise.all(accepts.map(accept => server.buildPaymentRequirements(accept)))).flat();
}
