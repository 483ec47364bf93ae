import {DurableObject} from 'cloudflare:workers';
import type {Hono} from 'hono';
import rules from '#rules';
import type {Rules} from '../../../shared/shapes.ts';
import {bareX402} from './bare.ts';

interface Env {
  readonly ASSETS: {fetch(request: Request): Promise<Response>};
  readonly FROZEN_FACILITATOR_URL: string;
}

let app: Hono | undefined;

/** The Worker to which the gate's Worker is compared. */
export default {
  fetch(request: Request, {ASSETS, FROZEN_FACILITATOR_URL}: Env): Response | Promise<Response> {
    // A Worker may not send requests before it receives its first one.
    app ??= bareX402(rules as Rules, FROZEN_FACILITATOR_URL, c => ASSETS.fetch(c.req.raw));
    return app.fetch(request);
  },
};

/** The configuration binds a class with this name. The bare Worker does not use it. */
export class LedgerObject extends DurableObject {}
