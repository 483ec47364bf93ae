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

/** What the gate's Worker is measured against. */
export default {
  fetch(request: Request, {ASSETS, FROZEN_FACILITATOR_URL}: Env): Response | Promise<Response> {
    // A Worker may ask nobody before its first request.
    app ??= bareX402(rules as Rules, FROZEN_FACILITATOR_URL, c => ASSETS.fetch(c.req.raw));
    return app.fetch(request);
  },
};

/** The rules bind a class of this name, which the bare Worker has no use for. */
export class LedgerObject extends DurableObject {}
