import type {SaleRecord} from '../../../paywall/ledger/sale-record.ts';
import {InputError} from '../../../shared/fault.ts';
import type {Payee} from '../../../shared/payees.ts';
import type {SalesSource} from '../source.ts';
import {survey, type Survey} from './accounts.ts';
import {blockAt} from './block-at.ts';
import {findingsOf, unsoldFinding, type Finality, type Finding} from './findings.ts';
import {look} from './look.ts';
import type {Block, ChainNode} from './node.ts';
import type {PaymentStore} from './payment-store.ts';
import {refundFinding} from './refunds.ts';

/** What is compared. */
export interface Wanted {
  readonly books: SalesSource;
  readonly node: ChainNode;
  /** Who is paid by the rules of the site. */
  readonly payees: readonly Payee[];
  readonly store: PaymentStore;
  /** The first block to look at; by default one before the first sale. */
  readonly fromBlock?: number | undefined;
  /** The same as a moment, in milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Told how far it is. */
  readonly onBlock?: (block: number, of: number) => void;
  readonly onSale?: (sale: number, of: number) => void;
}

/** What came of it. */
export interface Comparison {
  readonly network: string;
  readonly assets: readonly string[];
  readonly payees: readonly string[];
  /** Blocks that were looked at; nothing where nobody says where to begin. */
  readonly blocks: {readonly first: number; readonly final: number; readonly last: number} | null;
  readonly payments: number;
  /** Transfers to the payees that no authorization made, or of nothing. */
  readonly transfers: number;
  /** Sales of this network that were compared. */
  readonly sales: number;
  /** Sales of this network that began before the first block. */
  readonly before: number;
  /** How many sales there are on networks that were not looked at. */
  readonly elsewhere: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

/** Where the work begins. */
interface Begin {
  readonly block: number;
  /** In milliseconds since 1970. */
  readonly moment: number;
}

/** By how much the clocks of the books and of the chain may differ, in milliseconds. */
const SLACK_MS = 600_000;
/** A payment comes no later after its sale began, in milliseconds. */
const LATEST_MS = 24 * 3_600_000;

/**
 * Compares the books with the chain: every payment by an authorization to a payee with the sale that it belongs to. The chain is read
 * first, so a sale that is written meanwhile is never missing. Rejects with `InputError` where the node cannot be used.
 */
export async function compare(wanted: Wanted): Promise<Comparison> {
  const {books: source, node, payees, store, onBlock, onSale} = wanted;
  const network = await node.network();
  const final = await blockOf(node, 'finalized');
  const given = await givenBegin(wanted, final);
  const books = () => source.sales({from: given && Math.max(0, given.moment - LATEST_MS)});
  const found = await survey(network, payees, books());
  if (found.payees.length === 0)
    throw new InputError({file: 'node', field: network, rule: 'is a network that neither rules nor books know'});
  const accounts = {network, assets: found.assets, payees: found.payees};
  const begin = given ?? (await ownBegin(found, store, network, node, final));
  if (!begin) {
    const nothing = {blocks: null, payments: 0, transfers: 0, sales: 0, before: 0, findings: []};
    return {...accounts, ...nothing, elsewhere: found.elsewhere};
  }
  const first = begin.block;
  const last = Math.max(final.number, (await blockOf(node, 'latest')).number);
  await look(node, store, {...accounts, first}, {final, last}, block => onBlock?.(block, last));
  const finality = {block: final.number, moment: final.timestamp * 1000 - SLACK_MS};
  const here = salesOn(network, books(), sale => onSale?.(sale, found.sales));
  return {
    ...accounts,
    blocks: {first, final: final.number, last},
    ...(await compareSales(here, begin, node, store, finality)),
    ...store.count(first),
    elsewhere: found.elsewhere,
  };
}

async function blockOf(node: ChainNode, which: 'latest' | 'finalized' | number): Promise<Block> {
  const block = await node.block(which);
  if (block) return block;
  throw new InputError({file: 'node', field: `block ${which}`, rule: 'is none that it has'});
}

async function givenBegin({fromBlock, from, node}: Wanted, final: Block): Promise<Begin | undefined> {
  if (fromBlock !== undefined) return beginAt(await blockOf(node, fromBlock));
  return from === undefined ? undefined : beginAt(await blockOf(node, await blockAt(from, node, final)));
}

/** Before the first sale, or where a former run has begun if that is earlier; undefined if there is neither. */
async function ownBegin(
  {assets, payees, begin}: Survey,
  store: PaymentStore,
  network: string,
  node: ChainNode,
  final: Block,
): Promise<Begin | undefined> {
  const reach = store.reachOf({network, assets, payees});
  const former = reach && (await node.block(reach.first));
  const known = former && beginAt(former);
  if (known && (begin === undefined || known.moment + SLACK_MS <= begin)) return known;
  return begin === undefined ? undefined : beginAt(await blockOf(node, await blockAt(begin - SLACK_MS, node, final)));
}

function beginAt({number, timestamp}: Block): Begin {
  // Nothing was before the first block.
  return {block: number, moment: number === 0 ? -Infinity : timestamp * 1000};
}

async function* salesOn(network: string, books: AsyncIterable<SaleRecord>, onSale: (sale: number) => void) {
  let sales = 0;
  for await (const sale of books) {
    if (sale.network !== network) continue;
    onSale(++sales);
    yield sale;
  }
}

async function compareSales(
  books: AsyncIterable<SaleRecord>,
  begin: Begin,
  node: ChainNode,
  store: PaymentStore,
  final: Finality,
): Promise<Pick<Comparison, 'sales' | 'before' | 'findings'>> {
  const findings: Finding[] = [];
  let [sales, before] = [0, 0];
  for await (const sale of books) {
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
  findings.push(...store.unsold(begin.block).map(payment => unsoldFinding(payment, final)));
  return {sales, before, findings};
}
