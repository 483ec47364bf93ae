import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import type {State} from '../../paywall/ledger/sale.ts';
import {currencyOf, type Currency} from './money.ts';
import {dayOf, type Dimension} from './source.ts';

/** Sales in one currency. Amounts are atomic units. */
interface Total {
  readonly currency: Currency;
  sales: number;
  gross: bigint;
  refunds: number;
  refunded: bigint;
}

/** The total of one product, day, network or buyer. */
export interface Line extends Total {
  readonly name: string;
}

/** States in which the publisher has received the money. */
const INCOME: ReadonlySet<State> = new Set<State>(['settled', 'delivered', 'expired']);

/** True if the publisher received the money of a sale, even if it was refunded later. */
export function isIncome({state}: Pick<SaleRecord, 'state'>): boolean {
  return INCOME.has(state);
}

const names: Readonly<Record<Dimension, (sale: SaleRecord) => string>> = {
  product: sale => sale.product,
  day: sale => dayOf(sale.startedAt),
  network: sale => sale.network,
  buyer: sale => sale.payer,
};

/** Returns the income after refunds. */
export function netOf({gross, refunded}: Total): bigint {
  return gross - refunded;
}

/** Adds up sales. It stores a line for each product, day, network or buyer of the requested dimensions, and no sales. */
export class Totals {
  /** The number of sales in each state without a known payment. */
  readonly others = new Map<State, number>();
  readonly #lines: ReadonlyMap<Dimension, Map<string, Line>>;
  readonly #totals = new Map<string, Line>();

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
    const key = `${currencyKey(sale)} ${name}`;
    const line = lines.get(key) ?? {name, currency: currencyOf(sale), sales: 0, gross: 0n, refunds: 0, refunded: 0n};
    lines.set(key, line);
    const amount = BigInt(sale.amount);
    line.sales += 1;
    line.gross += amount;
    if (sale.refund === null) return;
    line.refunds += 1;
    line.refunded += amount;
  }

  keeps(dimension: Dimension): boolean {
    return this.#lines.has(dimension);
  }

  /** One total for each currency. */
  get totals(): Line[] {
    return [...this.#totals.values()];
  }

  /** Returns the lines of a dimension: days by date, others by net income, highest first. */
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

/** Amounts in different currencies are not compared. */
function byNet(one: Line, other: Line): number {
  const currencies = byText(currencyKey(one.currency), currencyKey(other.currency));
  if (currencies !== 0) return currencies;
  const [left, right] = [netOf(one), netOf(other)];
  return left > right ? -1 : Number(left < right);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function currencyKey({network, asset}: Pick<SaleRecord, 'network' | 'asset'>): string {
  return `${network} ${asset.toLowerCase()}`;
}
