import {collectDefaultMetrics, Counter, Gauge, Histogram, Registry} from 'prom-client';
import type {AccessLine} from '../http/access-log.ts';
import type {Observer} from '../payments/facilitator/observer.ts';
import {cached} from './cached.ts';

/** The metrics of one process since it started. The ledger has the sales of all processes. */
export interface Figures {
  readonly observer: Observer;
  answered(line: AccessLine): void;
  /** Returns the metrics in the text format of Prometheus, and its content type. */
  text(): Promise<{readonly text: string; readonly type: string}>;
}

/** Each reason is a series in Prometheus, and facilitators invent reasons. */
const MOST_REASONS = 50;
const COUNT_EVERY_MS = 5_000;
/** A gate waits for a settlement for at most a minute. */
const SECONDS = [0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60];

/** @param countUndelivered counts the paid sales in the ledger whose documents are not delivered */
export function newFigures(countUndelivered: () => Promise<number>): Figures {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({register: registry});
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({name: `frozen_${name}_total`, help, labelNames, registers});
  const answers = counter('answers', 'Requests answered, by the kind of their path.', 'path', 'status');
  const challenges = counter('challenges', 'Answers that require a payment.', 'product');
  const refusals = counter('refusals', 'Payments refused, by the reason in the answer.', 'reason');
  const verdicts = counter('verdicts', 'Answers of the facilitator to verifications.', 'verdict', 'reason');
  const sales = counter('sales', 'Paid sales.', 'product', 'network');
  const dollars = counter('sold_dollars', 'Prices of the paid sales, in dollars.', 'product', 'network');
  const documents = counter('documents', 'Paid documents sent.', 'product', 'outcome');
  const settlements = new Histogram({
    name: 'frozen_settlement_seconds',
    help: 'Duration of settlements, by the outcome that the facilitator reports.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  const undelivered = cached(COUNT_EVERY_MS, countUndelivered);
  new Gauge({
    name: 'frozen_undelivered_documents',
    help: 'Documents in the ledger that are paid for and not delivered. NaN if the ledger cannot be read.',
    registers,
    async collect() {
      this.set(await undelivered().catch(() => Number.NaN));
    },
  });
  const reasonOf = bounded(MOST_REASONS);
  return {
    observer: {
      verified(verdict) {
        verdicts.inc({verdict: verdict.kind, reason: 'reason' in verdict ? reasonOf(verdict.reason) : ''});
      },
      settled({kind}, seconds) {
        settlements.observe({outcome: kind}, seconds);
      },
      sold({product, network, price}) {
        sales.inc({product, network});
        dollars.inc({product, network}, Number(price.slice(1)));
      },
      delivered({product}, isSent) {
        documents.inc({product, outcome: isSent ? 'delivered' : 'cut_off'});
      },
    },
    answered({kind, status, product, reason}) {
      answers.inc({path: kind, status});
      if (status !== 402 && status !== 400 && reason !== 'busy') return;
      if (reason !== undefined) refusals.inc({reason: reasonOf(reason)});
      else if (status === 402) challenges.inc({product: product ?? ''});
    },
    async text() {
      return {text: await registry.metrics(), type: registry.contentType};
    },
  };
}

/** Returns a function that keeps the first so many different texts, and replaces later ones with `other`. */
function bounded(most: number): (text: string) => string {
  const known = new Set<string>();
  return text => {
    if (known.size < most) known.add(text);
    return known.has(text) ? text : 'other';
  };
}
