import {decodePaymentRequiredHeader} from '@x402/core/http';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {formatUnits, parseUnits, type Address} from 'viem';
import {network, type LocalChain, balanceOf, dollars, fundedBuyer} from '../../../scripts/local-chain/chain.ts';
import {figure} from '../measure/spread.ts';

/** The result of a series of purchases. Money is in atomic units. */
export interface Purchases {
  readonly count: number;
  /** Responses without the document. */
  readonly missed: number;
  /** The number of each of those responses, by status and message. */
  readonly misses: Readonly<Record<string, number>>;
  /** The time of the slowest purchase in milliseconds. */
  readonly slowest: number;
  /** Purchases per second, one after the other. */
  readonly rate: number;
  /** The price times the count. `spent` and `earned` must be equal to it. */
  readonly due: bigint;
  readonly spent: bigint;
  readonly earned: bigint;
}

/** The document to buy, its server, and the expected response. */
export interface Ware {
  readonly url: string;
  readonly price: string;
  readonly payTo: Address;
  readonly document: string;
}

/**
 * Buys one document repeatedly with `@x402/fetch`, for two buyers in turns with just enough money: within milliseconds of a
 * delivery, the gate asks the same buyer to wait.
 *
 * @param count an even number
 */
export async function buyInARow(
  chain: LocalChain,
  {url, price, payTo, document}: Ware,
  count: number,
): Promise<Purchases> {
  const due = parseUnits(price.slice(1), 6) * BigInt(count);
  const share = formatUnits(due / 2n, 6);
  const buyers = [await fundedBuyer(chain, share), await fundedBuyer(chain, share)];
  const before = await balanceOf(chain, payTo);
  const clients = buyers.map(buyer =>
    wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network, client: new ExactEvmScheme(buyer)}]}),
  );
  const misses: Record<string, number> = {};
  const start = performance.now();
  let slowest = 0;
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    const response = await (clients[n % 2] ?? fetch)(url);
    const text = await response.text();
    slowest = Math.max(slowest, performance.now() - begun);
    if (response.status === 200 && text === document) continue;
    const miss = `${response.status} ${reasonIn(response, text)}`;
    misses[miss] = (misses[miss] ?? 0) + 1;
  }
  const rate = count / ((performance.now() - start) / 1000);
  const left = await Promise.all(buyers.map(({address}) => balanceOf(chain, address)));
  const spent = left.reduce((sum, balance) => sum - balance, due);
  const earned = (await balanceOf(chain, payTo)) - before;
  const missed = Object.values(misses).reduce((sum, times) => sum + times, 0);
  return {count, missed, misses, slowest, rate, due, spent, earned};
}

/** Returns why a response is not the document: the reason code of a refusal, or the text of the problem details. */
function reasonIn({headers}: Response, text: string): string {
  const required = headers.get('PAYMENT-REQUIRED');
  return required === null ? text : (decodePaymentRequiredHeader(required).error ?? 'no reason');
}

/** Money is text in JSON, because JSON has no integers of arbitrary size. */
export function purchaseFigures({due, spent, earned, ...others}: Purchases): object {
  return {...others, due: String(due), spent: String(spent), earned: String(earned)};
}

export function purchaseText({count, missed, slowest, rate, spent, earned}: Purchases): string {
  return [
    `${figure(count)} purchases in a row: ${figure(count - missed)} documents, ${figure(rate)} a second, the slowest in ${figure(slowest)} ms,`,
    `${dollars(spent)} USDC spent, ${dollars(earned)} USDC earned.`,
  ].join('\n');
}

/** Returns errors: responses without the document, and wrong sums of money. */
export function purchaseFailures({misses, due, spent, earned}: Purchases): string[] {
  const missed = Object.entries(misses).map(([answer, times]) => `${figure(times)} times no document: ${answer}`);
  if (spent === due && earned === due) return missed;
  return [...missed, `${dollars(due)} USDC were due, ${dollars(spent)} spent, ${dollars(earned)} earned`];
}
