import {Hono, type Context} from 'hono';
import type {Catalogue} from '../../shared/shapes.ts';
import {accessLog, type AccessLine} from './access-log.ts';
import {exactPath} from './exact-path.ts';
import type {GateEnv} from './gate-env.ts';
import {freeDocument} from './free-document.ts';
import {notFoundAnswer} from './not-found.ts';
import {problem} from './problem.ts';
import {paidDocument, type SaleOptions} from './paid-document.ts';
import type {Purchase} from './purchase.ts';
import {itemsOf, type PaidItem} from '../site/site.ts';

/** The options of a gate, the same on every host. */
export interface GateOptions extends SaleOptions {
  readonly catalogue: Catalogue;
  /** Called for every answered request. */
  readonly log?: ((line: AccessLine) => void) | undefined;
  /** Called with unexpected errors. The buyer gets no details. */
  readonly onError?: (error: Error) => void;
}

/**
 * Creates the gate of a site as a Hono app. It answers only the paths of the catalogue: free documents directly, paid documents after
 * payment.
 */
export function createGate(options: GateOptions): Hono<GateEnv> {
  const {rules, catalogue, documents, log, onError} = options;
  const items = itemsOf(rules, catalogue);
  const notFound = notFoundAnswer(items, documents);
  const paidDocuments = new Map<PaidItem, Purchase>();
  const gate = new Hono<GateEnv>();

  gate.onError((error: Error) => {
    onError?.(error);
    return problem({status: 500, title: 'Internal error', detail: 'Something is wrong with this server.'});
  });
  if (log) gate.use(accessLog(items, log));
  gate.all('*', exactPath(items, {notFound, free: freeDocument(documents, notFound), paid: answerPaid}));
  return gate;

  /** The first request of a document computes its offer. Later ones are answered without a promise, which takes less time. */
  function answerPaid(c: Context<GateEnv>, item: PaidItem): Response | Promise<Response> {
    const arrivedAt = performance.now();
    const known = paidDocuments.get(item);
    return known ? known(c, arrivedAt) : opened(item).then(document => document(c, arrivedAt));
  }

  async function opened(item: PaidItem): Promise<Purchase> {
    const made = await paidDocument(item, options);
    // The promise is not shared, because a request in a Worker cannot await the work of another. The first result is kept.
    const document = paidDocuments.get(item) ?? made;
    paidDocuments.set(item, document);
    return document;
  }
}
