import {decimalOf} from './money.ts';
import {DIMENSIONS} from './dimensions.ts';
import {netOf, type Line, type Totals} from './totals.ts';

/** Returns the totals for JSON. Amounts are decimals in texts. */
export function figuresOf(totals: Totals) {
  return {
    totals: totals.totals.map(figureOf),
    not_paid: Object.fromEntries(totals.others),
    ...Object.fromEntries(
      DIMENSIONS.filter(dimension => totals.keeps(dimension)).map(dimension => [
        `by_${dimension}`,
        totals.by(dimension).map(line => ({[dimension]: line.name, ...figureOf(line)})),
      ]),
    ),
  };
}

function figureOf(line: Line) {
  const {currency, sales, gross, refunds, refunded} = line;
  return {
    network: currency.network,
    asset: currency.asset,
    currency: currency.symbol ?? '',
    sales,
    gross: decimalOf(gross, currency),
    refunds,
    refunded: decimalOf(refunded, currency),
    net: decimalOf(netOf(line), currency),
  };
}
