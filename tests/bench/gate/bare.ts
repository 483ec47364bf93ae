import {serveStatic} from '@hono/node-server/serve-static';
import {HTTPFacilitatorClient} from '@x402/core/server';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {paymentMiddleware, x402ResourceServer} from '@x402/hono';
import {Hono} from 'hono';
import {etag} from 'hono/etag';
import {join} from 'node:path';
import {readRules} from '../../../scripts/demo/offer.ts';
import {network, routesOf} from './routes.ts';

/** What the gate is measured against for free documents: Hono's own file server and nothing else. */
export function bareFiles(root: string): Hono {
  const app = new Hono();
  app.use('/*', serveStatic({root: join(root, 'public')}));
  return app;
}

/** The same with Hono's own entity tags, which it works out for every answer. */
export function bareTaggedFiles(root: string): Hono {
  const app = new Hono();
  app.use('/*', etag(), serveStatic({root: join(root, 'public')}));
  return app;
}

/** What the gate is measured against for challenges: the x402 middleware as its manual shows it. */
export async function bareX402(root: string, facilitatorUrl: string): Promise<Hono> {
  const rules = await readRules(root);
  const facilitator = new HTTPFacilitatorClient({url: facilitatorUrl});
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme());
  const app = new Hono();
  app.use(paymentMiddleware(routesOf(rules), server));
  app.use('/*', serveStatic({root: join(root, 'public')}));
  return app;
}
