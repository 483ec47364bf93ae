import {parseUnits} from 'viem';
import {generatePrivateKey} from 'viem/accounts';
import {fetchExample} from '../../build/pages/product/summary.ts';
import {network, startChain, type Chain} from '../local-chain/chain.ts';
import {startFacilitator} from '../local-chain/facilitator.ts';
import {startGate} from '../local-chain/gate.ts';
import type {Listening} from '../local-chain/listen.ts';
import type {Offer} from './offer.ts';
import {purchase, type Demonstration} from './purchase.ts';
import type {Report} from './reporter.ts';
import {usdc} from '../local-chain/contracts.ts';
import {balanceOf, dollars, fundedBuyer} from '../local-chain/token.ts';
import type {Terminal} from '../terminal/command.ts';
import {stopSignal} from '../terminal/stop-signal.ts';

/** The funds of the buyer that is kept: more than the price of any document. */
const FUNDS = '1000000';

/** The services for a purchase, without the buyer. */
interface Market {
  readonly chain: Chain;
  readonly facilitator: Listening;
  readonly gate: Listening;
  readonly offer: Offer;
}

/**
 * Buys one document on a local chain, with its own facilitator and gate, which are stopped at the end.
 *
 * @param afterwards is called and awaited before they are stopped
 */
export async function demonstrate(
  root: string,
  offer: Offer,
  report: Report,
  afterwards?: (market: Market) => Promise<void>,
): Promise<Demonstration> {
  await using chain = await startChain();
  await using facilitator = await startFacilitator(chain);
  await using gate = await startGate(root, facilitator.url);
  const account = await fundedBuyer(chain, fundsFor(offer.rule.price));
  report('Everything runs on this machine', [
    ['chain', `Anvil as ${network}, a USDC-like token at ${usdc}`],
    ['facilitator', facilitator.url],
    ['gate', `${gate.url} for ${offer.site}`],
    ['buyer', `${account.address} with ${dollars(await balanceOf(chain, account.address))} USDC`],
  ]);
  const facts = await purchase(gate.url, offer.rule, account, chain, report);
  await afterwards?.({chain, facilitator, gate, offer});
  return facts;
}

/** Returns one dollar, or the price if it is higher. */
function fundsFor(price: string): string {
  const amount = price.slice(1);
  return parseUnits(amount, 6) > parseUnits('1', 6) ? amount : '1';
}

/** Funds a buyer, prints how to buy with its key, and resolves when the process is stopped. */
export async function keep(
  {chain, facilitator, gate, offer: {rule}}: Market,
  report: Report,
  terminal: Terminal,
): Promise<void> {
  const key = generatePrivateKey();
  const {address} = await fundedBuyer(chain, FUNDS, key);
  const url = gate.url + rule.path;
  report('All of it stays until Ctrl-C', [
    ['chain', chain.rpcUrl],
    ['facilitator', facilitator.url],
    ['gate', gate.url],
    ['buyer', `${address} with ${dollars(await balanceOf(chain, address))} USDC`],
    ['private key', `${key}, for this local chain only: never send real money to it`],
  ]);
  report('See what it costs', []);
  terminal.out.write(`curl -i ${url}\n\n`);
  report('Buy it', [
    ['run', `FROZEN_BUYER_KEY=${key} frozen buy ${gate.url} ${rule.name} --max ${rule.price.slice(1)}`],
  ]);
  report('Or buy it with a program of yours', [
    ['write', 'buy.mjs, as below; its first line installs the packages'],
    ['run', `PRIVATE_KEY=${key} node buy.mjs`],
  ]);
  terminal.out.write(`${fetchExample(url, rule.price, {payment: {accepts: [{network}]}})}\n`);
  await stopSignal(terminal);
}
