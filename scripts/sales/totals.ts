import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import type {State} from '../../paywall/ledger/sale.ts';
import {currencyOf, type Currency} from './money.ts';
import {dayOf, type Dimension} from './source.ts';

/** The sales of one product, day, network or buyer in one currency. Amounts are atomic units. */
export interface Line {
  readonly name: string;
  readonly currency: Currency;
  sales: number;
  gross: bigint;
  refunds: number;
  refunded: bigint;
}

/** States in which the publisher has received the money. */
const INCOME: ReadonlySet<State> = new Set<State>(['settled', 'delivered', 'expired']);

/** True if the publisher received the money of a sale, even if it was refunded later. */
export function isIncome({state}: Pick<SaleRecord, 'state'>): boolean {
  return INCOME.has(state);
}

const names: Readonly<Record<Dimension | 'total', (sale: SaleRecord) => string>> = {
  total: () => '',
  product: sale => sale.product,
  day: sale => dayOf(sale.startedAt),
  network: sale => sale.network,
  buyer: sale => sale.payer,
};

/** Returns the income after refunds, in atomic units. */
export function netOf({gross, refunded}: Line): bigint {
  return gross - refunded;
}

/** Adds up sales. It stores a line for each product, day, network or buyer of the requested dimensions, but no sales. */
export class Totals {
  /** The number of sales in each state without a known payment. */
  readonly others = new Map<State, number>();
  readonly #lines: ReadonlyMap<Dimension | 'total', Map<string, Line>>;

  constructor(dimensions: readonly Dimension[]) {
    this.#lines = new Map((['total', ...dimensions] as const).map(dimension => [dimension, new Map()]));
  }

  add(sale: SaleRecord): void {
    if (!isIncome(sale)) {
      this.others.set(sale.state, (this.others.get(sale.state) ?? 0) + 1);
      return;
    }
    const amount = BigInt(sale.amount);
    for (const [dimension, lines] of this.#lines) {
      const name = names[dimension](sale);
      const key = `${currencyKey(sale)} ${name}`;
      const line = lines.get(key) ?? {name, currency: currencyOf(sale), sales: 0, gross: 0n, refunds: 0, refunded: 0n};
      lines.set(key, line);
      line.sales += 1;
      line.gross += amount;
      if (sale.refund === null) continue;
      line.refunds += 1;
      line.refunded += amount;
    }
  }

  /** Returns the lines of each dimension, the total of each currency first: days by date, others by net income, highest first. */
  tables(): [dimension: Dimension | 'total', lines: Line[]][] {
    return [...this.#lines].map(([dimension, lines]) => {
      const all = [...lines.values()];
      if (dimension === 'total') return [dimension, all];
      all.sort((one, other) => byOrder(one.name, other.name));
      return [dimension, dimension === 'day' ? all : all.sort(byNet)];
    });
  }
}

/** Amounts in different currencies are not compared. */
function byNet(one: Line, other: Line): number {
  return byOrder(currencyKey(one.currency), currencyKey(other.currency)) || byOrder(netOf(other), netOf(one));
}

function byOrder<T extends string | bigint>(one: T, other: T): number {
  return one < other ? -1 : Number(one > other);
}

function currencyKey({network, asset}: Pick<SaleRecord, 'network' | 'asset'>): string {
  return `${network} ${asset.toLowerCase()}`;
}
