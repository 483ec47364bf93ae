import {decodePaymentRequiredHeader} from '@x402/core/http';
import {wrapFetchWithPaymentFromConfig} from '@x402/fetch';
import {ExactEvmScheme} from '@x402/evm/exact/client';
import {formatUnits, parseUnits, type Address} from 'viem';
import {network, type Chain} from '../../../scripts/local-chain/chain.ts';
import {dollars} from '../../../scripts/local-chain/money.ts';
import {balanceOf, fundedBuyer} from '../../../scripts/local-chain/token.ts';
import {figure} from '../measure/spread.ts';

/** What became of a row of purchases; money in atomic units. */
export interface Purchases {
  readonly count: number;
  /** Answers that were not the document. */
  readonly missed: number;
  /** How often each of those answers came: its status and what it said. */
  readonly misses: Readonly<Record<string, number>>;
  /** Milliseconds of the slowest purchase. */
  readonly slowest: number;
  /** Purchases a second, one after the other. */
  readonly rate: number;
  /** The price times the count: what `spent` and `earned` must be. */
  readonly owed: bigint;
  readonly spent: bigint;
  readonly earned: bigint;
}

/** What is bought, from whom, and what every answer must be. */
export interface Ware {
  readonly url: string;
  readonly price: string;
  readonly payTo: Address;
  readonly document: string;
}

/** Buys one document again and again with `@x402/fetch`, for a buyer with just enough money. */
export async function buyInARow(chain: Chain, {url, price, payTo, document}: Ware, count: number): Promise<Purchases> {
  const owed = parseUnits(price.slice(1), 6) * BigInt(count);
  const buyer = await fundedBuyer(chain, formatUnits(owed, 6));
  const before = await balanceOf(chain, payTo);
  const buy = wrapFetchWithPaymentFromConfig(fetch, {schemes: [{network, client: new ExactEvmScheme(buyer)}]});
  const misses: Record<string, number> = {};
  const start = performance.now();
  let slowest = 0;
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    const response = await buy(url);
    const text = await response.text();
    slowest = Math.max(slowest, performance.now() - begun);
    if (response.status === 200 && text === document) continue;
    const miss = `${response.status} ${reasonIn(response, text)}`;
    misses[miss] = (misses[miss] ?? 0) + 1;
  }
  const rate = count / ((performance.now() - start) / 1000);
  const spent = owed - (await balanceOf(chain, buyer.address));
  const earned = (await balanceOf(chain, payTo)) - before;
  const missed = Object.values(misses).reduce((sum, times) => sum + times, 0);
  return {count, missed, misses, slowest, rate, owed, spent, earned};
}

/** Why an answer is no document: the reason code of a refusal, or what the problem details say. */
function reasonIn({headers}: Response, text: string): string {
  const required = headers.get('PAYMENT-REQUIRED');
  return required === null ? text : (decodePaymentRequiredHeader(required).error ?? 'no reason');
}

/** Money is text in JSON, which has no integers of any size. */
export function purchaseFigures({owed, spent, earned, ...others}: Purchases): object {
  return {...others, owed: String(owed), spent: String(spent), earned: String(earned)};
}

export function purchaseText({count, missed, slowest, rate, spent, earned}: Purchases): string {
  return [
    `${figure(count)} purchases in a row: ${figure(count - missed)} documents, ${figure(rate)} a second, the slowest in ${figure(slowest)} ms,`,
    `${dollars(spent)} USDC spent, ${dollars(earned)} USDC earned.`,
  ].join('\n');
}

/** Every answer that was not the document, and money that does not add up. */
export function purchaseFailures({misses, owed, spent, earned}: Purchases): string[] {
  const missed = Object.entries(misses).map(([answer, times]) => `${figure(times)} times no document: ${answer}`);
  if (spent === owed && earned === owed) return missed;
  return [...missed, `${dollars(owed)} USDC were owed, ${dollars(spent)} spent, ${dollars(earned)} earned`];
}
