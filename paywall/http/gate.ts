import {Hono, type Context} from 'hono';
import type {Catalogue, Rules} from '../../shared/shapes.ts';
import {accessLog, type AccessLine} from './access-log.ts';
import type {PaymentServices} from '../payments/services.ts';
import type {Documents} from '../site/documents.ts';
import {exactPath} from './exact-path.ts';
import type {GateEnv} from './gate-env.ts';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import {freeDocument} from './free-document.ts';
import {makeOffer} from '../payments/protocol/offer.ts';
import {openDelivery} from './deliver.ts';
import {notFoundAnswer} from './not-found.ts';
import {problem} from './problem.ts';
import {purchase, type Purchase} from './purchase.ts';
import type {Sign} from '../site/site-signer.ts';
import {itemsOf, type PaidItem} from '../site/site.ts';

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

/**
 * The gate: a site as one Hono app. It answers only the paths of the catalogue: free documents at once, paid documents to their
 * buyers.
 */
export function createGate(options: GateOptions): Hono<GateEnv> {
  const {rules, catalogue, documents, services, sign, log, onError, onTrouble} = options;
  const items = itemsOf(rules, catalogue);
  const notFound = notFoundAnswer(items, documents);
  const purchases = new Map<PaidItem, Purchase>();
  const gate = new Hono<GateEnv>();

  gate.onError((error: Error) => {
    onError?.(error);
    return problem({status: 500, title: 'Internal error', detail: 'Something is wrong with this server.'});
  });
  if (log) gate.use(accessLog(items, log));
  gate.all('*', exactPath(items, {notFound, free: freeDocument(documents, notFound), paid: paidDocument}));
  return gate;

  /** The first request of a document computes its offer. Later ones are answered without a promise, which takes less time. */
  function paidDocument(c: Context<GateEnv>, item: PaidItem): Response | Promise<Response> {
    const arrivedAt = performance.now();
    const known = purchases.get(item);
    return known ? known(c, arrivedAt) : openPurchase(item).then(purchase => purchase(c, arrivedAt));
  }

  async function openPurchase(item: PaidItem): Promise<Purchase> {
    const offer = await makeOffer(item, rules, documents, sign);
    const delivery = openDelivery(offer, item, documents, services, {sign, onTrouble});
    // The promise is not shared: in a Worker one request cannot await the work of another. The first to finish counts for all.
    const opened = purchases.get(item) ?? purchase(offer, rules.title, services, delivery);
    purchases.set(item, opened);
    return opened;
  }
}
