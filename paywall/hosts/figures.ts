import {collectDefaultMetrics, Counter, Gauge, Histogram, Registry} from 'prom-client';
import type {AccessLine} from '../http/access-log.ts';
import type {Observer} from '../payments/facilitator/observer.ts';
import {remembered} from './remembered.ts';

/** The figures of one process since it started. Sales of all processes and times are in the ledger. */
export interface Figures {
  readonly observer: Observer;
  answered(line: AccessLine): void;
  /** In the text format of Prometheus, and its content type. */
  text(): Promise<{readonly text: string; readonly type: string}>;
}

/** Facilitators have reasons of their own, as many as they like. */
const MOST_REASONS = 50;
const OWED_COUNTED_EVERY_MS = 5_000;
/** A gate waits for a settlement for at most a minute. */
const SECONDS = [0.25, 0.5, 1, 2, 3, 5, 10, 20, 30, 60];

/** @param countOwed documents that are owed, of all processes that share the ledger */
export function newFigures(countOwed: () => Promise<number>): Figures {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({register: registry});
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({name: `frozen_${name}_total`, help, labelNames, registers});
  const answers = counter('answers', 'Requests answered, by the kind of their path.', 'path', 'status');
  const challenges = counter('challenges', 'Answers that ask for money.', 'product');
  const refusals = counter('refusals', 'Payments refused, by the reason that buyers are told.', 'reason');
  const verdicts = counter('verdicts', 'Answers of the facilitator about payments.', 'verdict', 'reason');
  const sales = counter('sales', 'Sales that are paid.', 'product', 'network');
  const dollars = counter('sold_dollars', 'Their prices in dollars.', 'product', 'network');
  const documents = counter('documents', 'Documents sent that were paid for.', 'product', 'outcome');
  const settlements = new Histogram({
    name: 'frozen_settlement_seconds',
    help: 'Settlements, by what the facilitator says came of them.',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  const owed = remembered(OWED_COUNTED_EVERY_MS, countOwed);
  new Gauge({
    name: 'frozen_owed_documents',
    help: 'Documents that are paid for and not delivered, in the whole ledger; NaN where it cannot be read.',
    registers,
    async collect() {
      this.set(await owed().catch(() => Number.NaN));
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

/** The first so many different texts, and `other` for all that come later: each is a series that Prometheus keeps. */
function bounded(most: number): (text: string) => string {
  const known = new Set<string>();
  return text => {
    if (known.size < most) known.add(text);
    return known.has(text) ? text : 'other';
  };
}
