import type {SaleRecord} from '../../../paywall/ledger/sale-record.ts';
import {InputError} from '../../../shared/fault.ts';
import type {Payee} from '../../../shared/payees.ts';
import type {SalesSource} from '../source.ts';
import {findingsOf, unsoldFinding, type Finality, type Finding, refundFinding, PaymentStore} from './findings.ts';
import {type Block, type ChainNode, inWindows} from './node.ts';
import {incomeIn, type Accounts} from './payments.ts';
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

export interface Comparison {
  readonly network: string;
  readonly assets: readonly string[];
  readonly payees: readonly string[];
  /** The compared blocks; null if there are no sales and no first block was given. */
  readonly blocks: {readonly first: number; readonly final: number; readonly last: number} | null;
  readonly payments: number;
  /** Transfers to the payees without an authorization, or of amount 0. */
  readonly transfers: number;
  /** Compared sales on this network. */
  readonly sales: number;
  /** Sales on this network before the first block. */
  readonly before: number;
  /** Number of sales on other networks, which were not compared. */
  readonly elsewhere: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

/** The start of a comparison. */
interface Begin {
  readonly block: number;
  /** In milliseconds since 1970. */
  readonly moment: number;
}

/** The maximum difference between the clocks of the ledger and the chain, in milliseconds. */
const SLACK_MS = 600_000;
/** The maximum time between the start of a sale and its payment, in milliseconds. */
const LATEST_MS = 24 * 3_600_000;

/**
 * Compares the ledger with the chain: each payment with an authorization to a payee must belong to a sale, and each paid sale to a payment.
 * The chain is read first, so sales that are added meanwhile are found. Rejects with `InputError` if the node cannot be used.
 */
export async function compare(wanted: Wanted): Promise<Comparison> {
  const {ledger, node, payees, onBlock, onSale} = wanted;
  const network = await node.network();
  const final = await blockOf(node, 'finalized');
  const given = await givenBegin(wanted, final);
  const ledgerSales = () => ledger.sales({from: given && Math.max(0, given.moment - LATEST_MS)});
  const found = await survey(network, payees, ledgerSales());
  if (found.payees.length === 0)
    throw new InputError({
      code: 'FZ503',
      subject: 'The node',
      field: network,
      rule: 'is a network of neither the rules nor the ledger',
    });
  const accounts = {network, assets: found.assets, payees: found.payees};
  const begin = given ?? (await ownBegin(found, node, final));
  if (!begin) {
    const nothing = {blocks: null, payments: 0, transfers: 0, sales: 0, before: 0, findings: []};
    return {...accounts, ...nothing, elsewhere: found.elsewhere};
  }
  const first = begin.block;
  const last = Math.max(final.number, (await blockOf(node, 'latest')).number);
  const store = new PaymentStore();
  for await (const window of inWindows(first, last, (from, to) => incomeIn(node, accounts, from, to))) {
    store.add(window.seen);
    onBlock?.(window.last, last);
  }
  const finality = {block: final.number, moment: final.timestamp * 1000 - SLACK_MS};
  const here = salesOn(network, ledgerSales(), sale => onSale?.(sale, found.sales));
  return {
    ...accounts,
    blocks: {first, final: final.number, last},
    ...(await compareSales(here, begin, node, store, finality)),
    payments: store.all.length,
    transfers: store.transfers,
    elsewhere: found.elsewhere,
  };
}

async function blockOf(node: ChainNode, which: 'latest' | 'finalized' | number): Promise<Block> {
  const block = await node.block(which);
  if (block) return block;
  throw new InputError({code: 'FZ503', field: `block ${which}`, rule: 'does not exist on the node'});
}

async function givenBegin({fromBlock, from, node}: Wanted, final: Block): Promise<Begin | undefined> {
  if (fromBlock !== undefined) return beginAt(await blockOf(node, fromBlock));
  return from === undefined ? undefined : beginAt(await blockOf(node, await blockAt(from, node, final)));
}

/** Returns a block before the first sale, or undefined without sales. */
async function ownBegin({begin}: Survey, node: ChainNode, final: Block): Promise<Begin | undefined> {
  return begin === undefined ? undefined : beginAt(await blockOf(node, await blockAt(begin - SLACK_MS, node, final)));
}

function beginAt({number, timestamp}: Block): Begin {
  // No sale can be earlier than the first block.
  return {block: number, moment: number === 0 ? -Infinity : timestamp * 1000};
}

async function* salesOn(network: string, source: AsyncIterable<SaleRecord>, onSale: (sale: number) => void) {
  let sales = 0;
  for await (const sale of source) {
    if (sale.network !== network) continue;
    onSale(++sales);
    yield sale;
  }
}

async function compareSales(
  source: AsyncIterable<SaleRecord>,
  begin: Begin,
  node: ChainNode,
  store: PaymentStore,
  final: Finality,
): Promise<Pick<Comparison, 'sales' | 'before' | 'findings'>> {
  const findings: Finding[] = [];
  let [sales, before] = [0, 0];
  for await (const sale of source) {
    const found = findingsOf(sale, store, final);
    if (sale.startedAt < begin.moment + SLACK_MS) {
      before++;
      continue;
    }
    sales++;
    findings.push(...found);
    const refund = await refundFinding(sale, node, store, final);
    if (refund) findings.push(refund);
  }
  findings.push(...store.unsold().map(payment => unsoldFinding(payment, final)));
  return {sales, before, findings};
}

/** Returns the number of the last final block that is not later than a time in milliseconds since 1970, or 0. */
async function blockAt(moment: number, node: ChainNode, final: Block): Promise<number> {
  const isBefore = (block: Block | undefined) => !block || block.timestamp * 1000 <= moment;
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

/** The payees and assets to compare on one network, and a summary of the ledger. */
interface Survey extends Accounts {
  readonly sales: number;
  /** Start of the first of them, in milliseconds since 1970. */
  readonly begin: number | undefined;
  /** Number of sales on other networks; 0 for networks that only the rules name. */
  readonly elsewhere: Readonly<Record<string, number>>;
}

/** Collects the payees and assets of a network from the rules and from the ledger, which may contain former payees. */
async function survey(network: string, rules: readonly Payee[], ledger: AsyncIterable<SaleRecord>): Promise<Survey> {
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
