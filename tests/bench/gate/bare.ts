import {HTTPFacilitatorClient} from '@x402/core/server';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {paymentMiddleware, x402ResourceServer} from '@x402/hono';
import {Hono, type MiddlewareHandler} from 'hono';
import type {Rule, Rules} from '../../../shared/shapes.ts';

/** The network of the local chain, Base Sepolia. Repeated here because a Worker cannot load the chain. */
const network = 'eip155:84532';

/** The server to which the gate is compared for challenges: the x402 middleware in front of files, as in its manual. */
export function bareX402(rules: Rules, facilitatorUrl: string, files: MiddlewareHandler): Hono {
  const facilitator = new HTTPFacilitatorClient({url: facilitatorUrl});
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
  const routes = Object.fromEntries(rules.rules.map(rule => [`GET ${rule.path}`, routeOf(rules, rule)]));
  return new Hono().use(paymentMiddleware(routes, server)).use('/*', files);
}

function routeOf({payment, base_url}: Rules, {path, price, description, type}: Rule) {
  const payTo = payment.accepts.find(accepted => accepted.network === network)?.pay_to ?? '';
  return {
    accepts: {scheme: 'exact' as const, network, price, payTo},
    resource: base_url + path,
    description,
    mimeType: type,
  } as const;
}
