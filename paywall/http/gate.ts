import {Hono} from 'hono';
import {cors} from 'hono/cors';
import {etag, RETAINED_304_HEADERS} from 'hono/etag';
import type {Catalogue, Rules} from '../../shared/shapes.ts';
import {accessLog, type AccessLine} from './access-log.ts';
import type {Till} from '../payments/till.ts';
import {commonHeaders} from './common-headers.ts';
import {confirming} from './confirm.ts';
import type {Documents} from '../site/documents.ts';
import {exactPath} from './exact-path.ts';
import type {GateEnv} from './exact-path.ts';
import type {OnTrouble} from '../payments/facilitator.ts';
import {freeDocument} from './free-document.ts';
import {handingOut} from './hand-out.ts';
import {makeOffer} from '../payments/offer.ts';
import {SHA256_HEADER} from '../payments/sign-in-terms.ts';
import {ownedDocument} from './owned-document.ts';
import {paidDocument} from './paid-document.ts';
import {problem} from './problem.ts';
import {purchase} from './purchase.ts';
import type {Sign} from '../site/site-signer.ts';
import {itemsOf} from '../site/site.ts';

/** What a gate needs to know, the same on every host. */
export interface GateOptions {
  readonly rules: Rules;
  readonly catalogue: Catalogue;
  readonly documents: Documents;
  readonly till: Till;
  /** Signs what is offered and sold, with the key of the site. */
  readonly sign?: Sign | undefined;
  /** Called for every request that is answered. */
  readonly log?: ((line: AccessLine) => void) | undefined;
  /** Called with what should never happen; the buyer only learns that it did. */
  readonly onError?: (error: Error) => void;
  /** Told what keeps the publisher from selling. */
  readonly onTrouble?: OnTrouble | undefined;
}

/** What a browser wallet may send to a paid path. `@x402/fetch` really sends a request header of the second name. */
const preflight = cors({
  origin: '*',
  allowMethods: ['GET'],
  allowHeaders: ['PAYMENT-SIGNATURE', 'SIGN-IN-WITH-X', SHA256_HEADER, 'Access-Control-Expose-Headers'],
  maxAge: 86_400,
});
const retainedHeaders = [...RETAINED_304_HEADERS, ...Object.keys(commonHeaders)];

/**
 * The gate: a site as one Hono app. It answers the paths of the catalogue and no other, gives away what is free and
 * hands out a paid document when its payment is settled.
 */
export async function createGate(options: GateOptions): Promise<Hono<GateEnv>> {
  const {rules, catalogue, documents, till, sign, log, onError, onTrouble} = options;
  const items = itemsOf(rules, catalogue);
  const gate = new Hono<GateEnv>();

  gate.onError((error: Error) => {
    onError?.(error);
    return problem({status: 500, title: 'Internal error', detail: 'Something is wrong with this server.'});
  });
  if (log) gate.use(accessLog(items, log));
  gate.use(exactPath(items));
  gate.options('*', preflight);

  // The router decodes paths, but `exactPath` has let none through that there is anything to decode in.
  for (const [path, item] of items) {
    if (item.kind === 'free') continue;
    const offer = await makeOffer(item, rules, documents, sign);
    const deliver = paidDocument(item, documents, onTrouble);
    const handOut = handingOut(offer, till);
    const confirm = confirming(offer, till.clock, sign, onTrouble);
    const owned = ownedDocument(offer, rules, till, {deliver, confirm, handOut});
    gate.get(path, owned, await purchase(offer, rules, till, {confirm, handOut}), deliver);
  }
  gate.get('*', etag({retainedHeaders}), freeDocument(items, documents));
  return gate;
}
