import {parseUnits, type Address} from 'viem';
import {network, startChain, type Chain} from '../local-chain/chain.ts';
import type {Check} from './check-document.ts';
import {startFacilitator} from '../local-chain/facilitator.ts';
import {startGate} from '../local-chain/gate.ts';
import type {Listening} from '../local-chain/listen.ts';
import {dollars} from '../local-chain/money.ts';
import type {Offer} from './offer.ts';
import {Buyer} from './buyer.ts';
import {showChallenge, showDocument, showPayment, showReceipt, showSample, type Balance, type Tell} from './steps.ts';
import {usdc} from '../local-chain/contracts.ts';
import {balanceOf, fundedBuyer} from '../local-chain/token.ts';

/** The facts of one purchase, as `--json` prints them; money in atomic units, a millionth of a dollar each. */
export interface Demonstration {
  readonly product: string;
  readonly price: string;
  readonly network: string;
  readonly transaction: string;
  readonly checks: readonly Check[];
  readonly buyer: Balance;
  readonly seller: Balance;
}

/** Everything that a purchase needs but a buyer. */
export interface Market {
  readonly chain: Chain;
  readonly facilitator: Listening;
  readonly gate: Listening;
  readonly offer: Offer;
}

/**
 * Buys one document from end to end on a chain, a facilitator and a gate of its own, all gone when it returns.
 *
 * @param afterwards is waited for while they are there
 */
export async function demonstrate(
  root: string,
  offer: Offer,
  tell: Tell,
  afterwards?: (market: Market) => Promise<void>,
): Promise<Demonstration> {
  await using chain = await startChain();
  await using facilitator = await startFacilitator(chain);
  await using gate = await startGate(root, facilitator.url);
  const account = await fundedBuyer(chain, fundsFor(offer.rule.price));
  tell('Everything runs on this machine', [
    ['chain', `Anvil as ${network}, a USDC-like token at ${usdc}`],
    ['facilitator', facilitator.url],
    ['gate', `${gate.url} for ${offer.site}`],
    ['buyer', `${account.address} with ${dollars(await balanceOf(chain, account.address))} USDC`],
  ]);
  const facts = await purchase(new Buyer(gate.url, offer.rule, account), chain, offer, tell);
  await afterwards?.({chain, facilitator, gate, offer});
  return facts;
}

async function purchase(buyer: Buyer, chain: Chain, {rule}: Offer, tell: Tell): Promise<Demonstration> {
  const entry = await buyer.readCatalogue();
  const sample = await showSample(buyer, rule, entry, tell);
  const {challenge, payTo} = await showChallenge(buyer, rule, tell);
  const accounts = {buyer: buyer.address, seller: payTo};
  const before = await balancesOf(chain, accounts);
  const paid = await showPayment(buyer, rule, challenge, tell);
  const checks = await showDocument(buyer, paid, entry, tell);
  const after = await balancesOf(chain, accounts);
  const balances = {
    buyer: {address: accounts.buyer, before: before.buyer, after: after.buyer},
    seller: {address: accounts.seller, before: before.seller, after: after.seller},
  };
  const {transaction} = paid.receipt;
  showReceipt(transaction, balances, tell);
  return {product: rule.name, price: rule.price, network, transaction, checks: [sample, ...checks], ...balances};
}

async function balancesOf(chain: Chain, {buyer, seller}: Readonly<Record<'buyer' | 'seller', Address>>) {
  return {buyer: String(await balanceOf(chain, buyer)), seller: String(await balanceOf(chain, seller))};
}

/** A dollar, or the price where that is more. */
function fundsFor(price: string): string {
  const amount = price.slice(1);
  return parseUnits(amount, 6) > parseUnits('1', 6) ? amount : '1';
}
