import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseUnits, type Address} from 'viem';
import {generatePrivateKey} from 'viem/accounts';
import {fetchExample} from '../../build/pages/product/summary.ts';
import {buyer} from '../../buyer/buy/buyer.ts';
import {network, startChain, type LocalChain, usdc, balanceOf, dollars, fundedBuyer} from '../local-chain/chain.ts';
import {startFacilitator} from '../local-chain/facilitator.ts';
import {startGate} from '../local-chain/gate.ts';
import type {Listening} from '../local-chain/listen.ts';
import pc from '../terminal/colours.ts';
import type {Terminal} from '../terminal/command.ts';
import {stopSignal} from '../terminal/stop-signal.ts';
import {tableLines} from '../terminal/table.ts';
import {readRules} from '../../buyer/verify/rule-checks.ts';
import {InputError, wrongUsage} from '../../shared/fault.ts';
import {RULES_FILE as file} from '../../shared/paths.ts';
import type {Rule} from '../../shared/shapes.ts';

/** The funds of the buyer with `--keep`: more than the price of any document. */
const FUNDS = '1000000';

/** The services for a purchase, without the buyer. */
interface Market {
  readonly chain: LocalChain;
  readonly facilitator: Listening;
  readonly gate: Listening;
  readonly offer: Offer;
}

/** Prints a completed step: a heading, and lines of label and text. */
type Report = (heading: string, lines: readonly (readonly [label: string, text: string])[]) => void;

/** Returns a function that prints steps as numbered paragraphs. */
export function reporter(out: Terminal['out']): Report {
  let step = 0;
  return (heading, lines) => {
    const rows = lines.map(([label, text]) => [`  ${pc.dim(label)}`, text]);
    out.write([pc.bold(`${++step}  ${heading}`), ...tableLines(rows).map(line => ` ${line}`), '', ''].join('\n'));
  };
}

/**
 * Buys one document on a local chain, as `frozen buy` does, with its own facilitator and gate, which are stopped at the end. Returns the
 * facts that `--json` prints. Throws `InputError` if the document is not the one for sale.
 *
 * @param afterwards called before the services are stopped, and awaited
 */
export async function demonstrate(
  root: string,
  offer: Offer,
  report: Report,
  afterwards?: (market: Market) => Promise<void>,
): Promise<object> {
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
  const folder = await mkdtemp(join(tmpdir(), 'frozen-demo-'));
  try {
    const {name, price, path, sample, title} = offer.rule;
    const paying = buyer({account, folder, network, max: price, budget: price, rpcUrl: chain.rpcUrl});
    const {terms, document} = (await paying.look(gate.url, name)).offer;
    const {payTo, amount} = terms.requirements;
    report('The sample is free, and the document is not', [
      ['GET', sample],
      ['GET', path],
      ['402', `pay ${dollars(amount)} USDC on ${network} to ${payTo}`],
    ]);
    const balances = async () => ({
      buyer: String(await balanceOf(chain, account.address)),
      seller: String(await balanceOf(chain, payTo as Address)),
    });
    const before = await balances();
    const {transaction = ''} = await paying.buy(gate.url, name);
    const after = await balances();
    const change = (who: 'buyer' | 'seller') => `${dollars(before[who])} → ${dollars(after[who])} USDC`;
    report('The buyer signs, the facilitator settles, the gate delivers', [
      ['document', `${title}, ${document.listed.bytes} bytes, SHA-256 ${document.listed.sha256}`],
      ['transaction', transaction],
      ['buyer', change('buyer')],
      ['seller', change('seller')],
    ]);
    await afterwards?.({chain, facilitator, gate, offer});
    return {
      ...{product: name, price, network, transaction},
      buyer: {address: account.address, before: before.buyer, after: after.buyer},
      seller: {address: payTo, before: before.seller, after: after.seller},
    };
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
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
  report('Everything keeps running until Ctrl-C', [
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
  report('Or buy it with your own program', [
    ['write', 'buy.mjs, as below; its first line installs the packages'],
    ['run', `PRIVATE_KEY=${key} node buy.mjs`],
  ]);
  terminal.out.write(`${fetchExample(url, rule.price, {payment: {accepts: [{network}]}})}\n`);
  await stopSignal(terminal);
}

/** The rule that the demo buys. */
interface Offer {
  readonly site: string;
  readonly rule: Rule;
}

/**
 * Returns the rule to buy: of the named product, or the first. Throws `InputError` if the site is not built, if no product has the name, or
 * if the site does not accept the network of the local chain.
 */
export async function offerBelow(root: string, name?: string): Promise<Offer> {
  const {title, payment, rules} = await readRules(root);
  const networks = payment.accepts.map(accepted => accepted.network);
  if (!networks.includes(network)) {
    const rule = `are the only networks of this site, but the demo needs rules for ${network}`;
    throw new InputError({code: 'FZ507', file, field: 'payment.accepts', value: networks, rule});
  }
  const rule = name === undefined ? rules[0] : rules.find(each => each.name === name);
  if (rule) return {site: title, rule};
  if (name === undefined)
    throw new InputError({code: 'FZ507', file, field: 'rules', rule: 'are empty, so nothing is for sale'});
  const names = [...new Set(rules.map(each => each.name))].join(', ');
  throw wrongUsage({code: 'FZ902', field: '--product', value: name, rule: `is not one of ${names}`});
}
