import {HTTPFacilitatorClient} from '@x402/core/server';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {paymentMiddleware, x402ResourceServer} from '@x402/hono';
import {Hono} from 'hono';
import rules from '#rules';
import type {Rules} from '../../../shared/shapes.ts';
import {network, routesOf} from './routes.ts';

interface Env {
  readonly ASSETS: {fetch(request: Request): Promise<Response>};
  readonly FACILITATOR_URL: string;
}

let app: Hono | undefined;

/** What the gate's Worker is measured against: the x402 middleware in front of assets, as its manual shows it. */
export default {
  fetch(request: Request, env: Env): Response | Promise<Response> {
    // A Worker may ask nobody before its first request.
    app ??= bareApp(env);
    return app.fetch(request);
  },
};

function bareApp({ASSETS, FACILITATOR_URL}: Env): Hono {
  const facilitator = new HTTPFacilitatorClient({url: FACILITATOR_URL});
  const routes = routesOf(rules as Rules);
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
  const app = new Hono();
  app.use(paymentMiddleware(routes, server));
  app.use('/*', c => ASSETS.fetch(c.req.raw));
  return app;
}
