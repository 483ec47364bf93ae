import {generatePrivateKey} from 'viem/accounts';
import {fetchExample} from '../../build/pages/product/summary.ts';
import {network} from '../local-chain/chain.ts';
import {dollars} from '../local-chain/money.ts';
import {balanceOf, fundedBuyer} from '../local-chain/token.ts';
import type {Terminal} from '../terminal/command.ts';
import {stopSignal} from '../terminal/stop-signal.ts';
import type {Market} from './demonstrate.ts';
import type {Report} from './reporter.ts';

/** More than the price of any document. */
const FUNDS = '1000000';

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
    ['install', 'npm install @x402/fetch @x402/evm viem'],
    ['write', 'buy.mjs, as below'],
    ['run', `PRIVATE_KEY=${key} node buy.mjs`],
  ]);
  terminal.out.write(`${fetchExample(url, rule.price, {payment: {accepts: [{network}]}})}\n`);
  await stopSignal(terminal);
}
