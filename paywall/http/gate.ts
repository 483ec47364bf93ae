import {Hono} from 'hono';
import {cors} from 'hono/cors';
import type {Catalogue, Rules} from '../../shared/shapes.ts';
import {accessLog, type AccessLine} from './access-log.ts';
import type {PaymentServices} from '../payments/services.ts';
import type {Documents} from '../site/documents.ts';
import {exactPath} from './exact-path.ts';
import type {GateEnv} from './gate-env.ts';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import {freeDocument} from './free-document.ts';
import {makeOffer} from '../payments/protocol/offer.ts';
import {SHA256_HEADER} from '../payments/protocol/sign-in-terms.ts';
import {openDelivery} from './deliver.ts';
import {notFoundAnswer} from './not-found.ts';
import {problem} from './problem.ts';
import {purchase} from './purchase.ts';
import type {Sign} from '../site/site-signer.ts';
import {itemsOf} from '../site/site.ts';

/** The options of a gate, the same on every host. */
export interface GateOptions {
  readonly rules: Rules;
  readonly catalogue: Catalogue;
  readonly documents: Documents;
  readonly services: PaymentServices;
  /** Signs offers and receipts with the key of the site. */
  readonly sign?: Sign | undefined;
  /** Called for every answered request. */
  readonly log?: ((line: AccessLine) => void) | undefined;
  /** Called with unexpected errors. The buyer gets no details. */
  readonly onError?: (error: Error) => void;
  /** Receives in one line what prevents sales. */
  readonly onTrouble?: OnTrouble | undefined;
}

/** What a browser may send to a paid path. `@x402/fetch` really sends a request header of the second name. */
const preflight = cors({
  origin: '*',
  allowMethods: ['GET'],
  allowHeaders: ['PAYMENT-SIGNATURE', 'SIGN-IN-WITH-X', SHA256_HEADER, 'Access-Control-Expose-Headers'],
  maxAge: 86_400,
});

/**
 * The gate: a site as one Hono app. It answers only the paths of the catalogue: free documents at once, paid documents to their
 * buyers.
 */
export async function createGate(options: GateOptions): Promise<Hono<GateEnv>> {
  const {rules, catalogue, documents, services, sign, log, onError, onTrouble} = options;
  const items = itemsOf(rules, catalogue);
  const notFound = notFoundAnswer(items, documents);
  const gate = new Hono<GateEnv>();

  gate.onError((error: Error) => {
    onError?.(error);
    return problem({status: 500, title: 'Internal error', detail: 'Something is wrong with this server.'});
  });
  if (log) gate.use(accessLog(items, log));
  gate.use(exactPath(items, notFound));
  gate.options('*', preflight);

  // The router decodes paths, but `exactPath` refuses every path that contains anything to decode.
  for (const [path, item] of items) {
    if (item.kind === 'free') continue;
    const offer = await makeOffer(item, rules, documents, sign);
    const delivery = openDelivery(offer, item, documents, services, {sign, onTrouble});
    gate.get(path, purchase(offer, rules.title, services, delivery));
  }
  gate.get('*', freeDocument(items, documents, notFound));
  return gate;
}
