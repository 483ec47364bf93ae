import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import type {State} from '../../paywall/ledger/sale.ts';
import type {Dimension} from './dimensions.ts';
import {currencyOf, type Currency} from './money.ts';
import {dayOf} from './period.ts';

/** Sales in one currency. Amounts are atomic units. */
export interface Total {
  readonly currency: Currency;
  sales: number;
  gross: bigint;
  refunds: number;
  refunded: bigint;
}

/** A total of what has the same name, e.g. of one product. */
export interface Line extends Total {
  readonly name: string;
}

/** States in which the money has moved to the publisher. */
const INCOME: ReadonlySet<State> = new Set<State>(['settled', 'delivered', 'expired']);

/** Whether the money of a sale has moved to the publisher, also where it was paid back since. */
export function isIncome({state}: Pick<SaleRecord, 'state'>): boolean {
  return INCOME.has(state);
}

const names: Readonly<Record<Dimension, (sale: SaleRecord) => string>> = {
  product: sale => sale.product,
  day: sale => dayOf(sale.startedAt),
  network: sale => sale.network,
  buyer: sale => sale.payer,
};

/** What remains after refunds. */
export function netOf({gross, refunded}: Total): bigint {
  return gross - refunded;
}

/** Adds up sales as they come. It keeps a line for each product, day, network or buyer that it is asked for, and no sale. */
export class Totals {
  /** How many sales are in each state in which no money is known to have moved. */
  readonly others = new Map<State, number>();
  readonly #lines: ReadonlyMap<Dimension, Map<string, Line>>;
  readonly #totals = new Map<string, Line>();
  readonly #currencies = new Map<string, Currency>();

  constructor(dimensions: readonly Dimension[]) {
    this.#lines = new Map(dimensions.map(dimension => [dimension, new Map()]));
  }

  add(sale: SaleRecord): void {
    if (!isIncome(sale)) {
      this.others.set(sale.state, (this.others.get(sale.state) ?? 0) + 1);
      return;
    }
    this.#addTo(this.#totals, '', sale);
    for (const [dimension, lines] of this.#lines) this.#addTo(lines, names[dimension](sale), sale);
  }

  #addTo(lines: Map<string, Line>, name: string, sale: SaleRecord): void {
    const currency = this.#currencyOf(sale);
    const key = `${keyOf(currency)} ${name}`;
    const line = lines.get(key) ?? {name, currency, sales: 0, gross: 0n, refunds: 0, refunded: 0n};
    lines.set(key, line);
    const amount = BigInt(sale.amount);
    line.sales += 1;
    line.gross += amount;
    if (sale.refund === null) return;
    line.refunds += 1;
    line.refunded += amount;
  }

  /** The same object for all sales in a currency. */
  #currencyOf(sale: SaleRecord): Currency {
    const key = keyOf(sale);
    const currency = this.#currencies.get(key) ?? currencyOf(sale);
    this.#currencies.set(key, currency);
    return currency;
  }

  keeps(dimension: Dimension): boolean {
    return this.#lines.has(dimension);
  }

  /** One a currency. */
  get totals(): Line[] {
    return [...this.#totals.values()];
  }

  /** Days in their order; the rest with what has brought most first. */
  by(dimension: Dimension): Line[] {
    const lines = [...(this.#lines.get(dimension)?.values() ?? [])];
    return dimension === 'day'
      ? lines.sort(byName)
      : lines.sort((one, other) => byNet(one, other) || byName(one, other));
  }
}

function byName(one: Line, other: Line): number {
  return byText(one.name, other.name);
}

/** Amounts of two currencies are not compared. */
function byNet(one: Line, other: Line): number {
  if (one.currency !== other.currency) return byText(keyOf(one.currency), keyOf(other.currency));
  const [left, right] = [netOf(one), netOf(other)];
  return left > right ? -1 : Number(left < right);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function keyOf({network, asset}: Pick<SaleRecord, 'network' | 'asset'>): string {
  return `${network} ${asset.toLowerCase()}`;
}
