import type {SaleRecord} from '../../../paywall/ledger/sale-record.ts';
import {InputError} from '../../../shared/fault.ts';
import type {Payee} from '../../../shared/payees.ts';
import type {SalesSource} from '../source.ts';
import {findingsOf, unsoldFinding, type Finding, refundFinding, PaymentStore} from './findings.ts';
import {type Block, type ChainNode, inWindows} from './node.ts';
import {incomeIn} from './payments.ts';
import type {Network} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';

export interface Wanted {
  readonly ledger: SalesSource;
  readonly node: ChainNode;
  /** The payees in the rules of the site. */
  readonly payees: readonly Payee[];
  /** The first block to compare; by default one before the first sale. */
  readonly fromBlock?: number | undefined;
  /** The same as a time, in milliseconds since 1970. */
  readonly from?: number | undefined;
  readonly onBlock?: (block: number, of: number) => void;
  readonly onSale?: (sale: number, of: number) => void;
}

export type Comparison = Awaited<ReturnType<typeof compare>>;

/** The maximum difference between the clocks of the ledger and the chain, in milliseconds. */
const SLACK_MS = 600_000;
/** The maximum time between the start of a sale and its payment, in milliseconds. */
const LATEST_MS = 24 * 3_600_000;

/**
 * Compares the ledger with the chain: each payment with an authorization to a payee must belong to a sale, and each paid sale to a payment.
 * The chain is read first, so sales that are added meanwhile are found. Rejects with `InputError` if the node cannot be used.
 */
export async function compare({ledger, node, payees, fromBlock, from, onBlock, onSale}: Wanted) {
  const network = await node.network();
  const final = await blockOf(node, 'finalized');
  const wanted = fromBlock ?? (from === undefined ? undefined : await blockAt(from, node, final));
  const given = wanted === undefined ? undefined : await beginAt(wanted, node);
  const ledgerSales = () => ledger.sales({from: given && Math.max(0, given.time - LATEST_MS)});
  const found = await survey(network, payees, ledgerSales());
  if (found.payees.length === 0) {
    const rule = 'is a network of neither the rules nor the ledger';
    throw new InputError({code: 'FZ503', subject: 'The node', field: network, rule});
  }
  const accounts = {network, assets: found.assets, payees: found.payees};
  const {elsewhere, begin: firstSale} = found;
  const ownBegin = async (sale: number) => beginAt(await blockAt(sale - SLACK_MS, node, final), node);
  const begin = given ?? (firstSale === undefined ? undefined : await ownBegin(firstSale));
  if (!begin)
    return {...accounts, blocks: null, payments: 0, transfers: 0, sales: 0, before: 0, findings: [], elsewhere};
  const first = begin.block;
  const last = Math.max(final.number, (await blockOf(node, 'latest')).number);
  const store = new PaymentStore();
  for await (const window of inWindows(first, last, (from, to) => incomeIn(node, accounts, from, to))) {
    store.add(window.seen);
    onBlock?.(window.last, last);
  }
  const finality = {block: final.number, time: final.timestamp * 1000 - SLACK_MS};
  const findings: Finding[] = [];
  let [sales, before] = [0, 0];
  for await (const sale of ledgerSales()) {
    if (sale.network !== network) continue;
    onSale?.(sales + before + 1, found.sales);
    const differences = findingsOf(sale, store, finality);
    if (sale.startedAt < begin.time + SLACK_MS) {
      before++;
      continue;
    }
    sales++;
    findings.push(...differences);
    const refund = await refundFinding(sale, node, store, finality);
    if (refund) findings.push(refund);
  }
  findings.push(...store.unsold().map(payment => unsoldFinding(payment, finality)));
  return {
    ...accounts,
    blocks: {first, final: final.number, last},
    ...{sales, before, findings},
    payments: store.all.length,
    /** Transfers to the payees without an authorization, or of amount 0. */
    transfers: store.transfers,
    /** Numbers of sales on other networks, which were not compared. */
    elsewhere,
  };
}

async function blockOf(node: ChainNode, which: 'latest' | 'finalized' | number): Promise<Block> {
  const block = await node.block(which);
  if (block) return block;
  throw new InputError({code: 'FZ503', field: `block ${which}`, rule: 'does not exist on the node'});
}

/** Returns a block, and its time in milliseconds since 1970. No sale can be earlier than the first block. */
async function beginAt(block: number, node: ChainNode) {
  const {timestamp} = await blockOf(node, block);
  return {block, time: block === 0 ? -Infinity : timestamp * 1000};
}

/** Returns the number of the last final block that is not later than a time in milliseconds since 1970, or 0. */
async function blockAt(time: number, node: ChainNode, final: Block): Promise<number> {
  const isBefore = (block: Block | undefined) => !block || block.timestamp * 1000 <= time;
  if (isBefore(final)) return final.number;
  let [before, behind] = [0, final.number];
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2);
    if (isBefore(await node.block(middle))) before = middle;
    else behind = middle;
  }
  return before;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

/**
 * Collects the payees and assets of a network from the rules and from the ledger, which may contain former payees. Also returns the number
 * of sales, the start of the first (in milliseconds since 1970), and the number of sales on each other network, which is 0 for networks
 * that only the rules name.
 */
async function survey(network: string, rules: readonly Payee[], ledger: AsyncIterable<SaleRecord>) {
  const here = rules.filter(payee => payee.network === network).map(({pay_to}) => pay_to.toLowerCase());
  const [payees, assets] = [new Set(here), new Set<string>()];
  if (here.length > 0) assets.add(await dollarOf(network));
  const elsewhere = Object.fromEntries(rules.filter(payee => payee.network !== network).map(each => [each.network, 0]));
  let [sales, begin]: [number, number | undefined] = [0, undefined];
  for await (const sale of ledger) {
    if (sale.network !== network) {
      elsewhere[sale.network] = (elsewhere[sale.network] ?? 0) + 1;
      continue;
    }
    sales++;
    begin = Math.min(begin ?? Infinity, sale.startedAt);
    payees.add(sale.payTo.toLowerCase());
    assets.add(sale.asset.toLowerCase());
  }
  const addresses = (all: ReadonlySet<string>) => [...all].filter(each => ADDRESS.test(each)).sort();
  return {assets: addresses(assets), payees: addresses(payees), sales, begin, elsewhere};
}

/** Returns the address of the token that x402 uses for prices in dollars. */
async function dollarOf(network: string): Promise<string> {
  const {asset} = await new ExactEvmScheme().parsePrice('$1', network as Network);
  return asset.toLowerCase();
}
