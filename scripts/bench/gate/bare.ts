import {serveStatic} from '@hono/node-server/serve-static';
import {HTTPFacilitatorClient} from '@x402/core/server';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {paymentMiddleware, x402ResourceServer} from '@x402/hono';
import {Hono} from 'hono';
import {join} from 'node:path';
import type {Rule, Rules} from '../../paywall/site.ts';
import {network} from '../demo/chain.ts';
import {readRules} from '../demo/offer.ts';

/** What the gate is measured against for free documents: Hono's own file server and nothing else. */
export function bareFiles(root: string): Hono {
  const app = new Hono();
  app.use('/*', serveStatic({root: join(root, 'public')}));
  return app;
}

/** What the gate is measured against for challenges: the x402 middleware as its manual shows it. */
export async function bareX402(root: string, facilitatorUrl: string): Promise<Hono> {
  const rules = await readRules(root);
  const facilitator = new HTTPFacilitatorClient({url: facilitatorUrl});
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
  const routes = Object.fromEntries(rules.rules.map(rule => [`GET ${rule.path}`, routeOf(rules, rule)]));
  const app = new Hono();
  app.use(paymentMiddleware(routes, server));
  app.use('/*', serveStatic({root: join(root, 'public')}));
  return app;
}

function routeOf({payment, base_url}: Rules, {path, price, description, type}: Rule) {
  const payTo = payment.accepts.find(accepted => accepted.network === network)?.pay_to ?? '';
  return {accepts: {scheme: 'exact', network, price, payTo}, resource: base_url + path, description, mimeType: type};
}
