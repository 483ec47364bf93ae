import {InputError, wrongUsage} from '../../shared/fault.ts';
import {rowOf} from '../sales/write.ts';
import {currencyOf, moneyWords, amountWords} from '../sales/money.ts';
import type {RefundLedger} from '../sales/source.ts';
import type {Terminal} from '../terminal/command.ts';
import {chainNodeAt, type ChainNode, type Receipt, inWindows} from '../sales/reconcile/node.ts';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {isIncome} from '../sales/totals.ts';
import {encodeFunctionData, erc20Abi, type Address} from 'viem';
import {tableLines} from '../terminal/table.ts';
import {amountOf, isRefund, isTransfer, partiesOf, TRANSFER} from '../sales/reconcile/payments.ts';

interface RefundOptions {
  /** The transaction of the refund; true to search the chain for it. */
  readonly paid?: string | true | undefined;
  readonly rpcUrl?: string | undefined;
}

/** Prints how to refund a sale, or records the refund once the chain shows it. */
export async function refundSale(
  named: string,
  {paid, rpcUrl}: RefundOptions,
  ledger: RefundLedger,
  terminal: Terminal,
): Promise<void> {
  if (paid !== undefined && !rpcUrl)
    throw wrongUsage({code: 'FZ903', field: '--paid', rule: 'needs a node of the chain', fix: 'Add `--rpc-url`.'});
  const sale = await saleToRefund(named, ledger);
  if (paid === undefined || !rpcUrl) {
    terminal.print({sale: rowOf(sale), refund: refundOf(sale)}, instructions(sale));
    return;
  }
  const node = chainNodeAt(rpcUrl);
  const onBlock = (block: number, of: number) => {
    terminal.line.show(() => `block ${block} of ${of}`);
  };
  const found = paid === true ? possibleRefunds(node, sale, onBlock) : [paid];
  for await (const transaction of found) {
    await checkRefund(node, sale, transaction);
    if (!(await ledger.refund(sale.key, transaction))) continue;
    const words = `Recorded: ${moneyWords(BigInt(sale.amount), currencyOf(sale))} were refunded to ${sale.payer} by ${transaction}.`;
    const again = await ledger.withKey(sale.key);
    terminal.print({sale: rowOf(again ?? sale)}, words);
    return;
  }
  if (paid === true) {
    const rule = 'has no refund that could be recorded, according to the node';
    const fix = 'If you sent one, name its transaction: the node may have deleted events of that time.';
    throw new InputError({code: 'FZ509', subject: named, rule, fix});
  }
  const rule = 'is recorded as the refund of another sale, or this sale has another refund';
  throw new InputError({code: 'FZ509', subject: paid, rule});
}

const LOOK_ON_THE_CHAIN =
  'Do not refund it yet. `frozen sales --reconcile` shows whether the money arrived, and a gate with `FROZEN_RPC_URL` records it.';

const TRANSACTION = /^0x[0-9a-f]{64}$/i;

/** Finds a sale by its transaction or its key. Throws `InputError` if it does not exist or cannot be refunded. */
async function saleToRefund(named: string, ledger: RefundLedger): Promise<SaleRecord> {
  const sale = await saleNamed(named, ledger);
  if (sale.refund !== null) {
    const when = sale.refundedAt === null ? '' : ` (recorded ${new Date(sale.refundedAt).toISOString()})`;
    throw refused(named, `was refunded by ${sale.refund}${when}`, 'Do not refund it again.');
  }
  if (isIncome(sale)) return sale;
  const isOpen = sale.state === 'pending' || sale.state === 'indeterminate';
  const unpaid = `was not paid: it is ${sale.state}${sale.reason ? `, ${sale.reason}` : ''}`;
  throw isOpen
    ? refused(named, `is ${sale.state}: whether it was paid is not known yet`, LOOK_ON_THE_CHAIN)
    : refused(named, unpaid, 'Do not refund this sale.');
}

async function saleNamed(named: string, ledger: RefundLedger): Promise<SaleRecord> {
  if (!TRANSACTION.test(named)) {
    const sale = await ledger.withKey(named.toLowerCase());
    if (sale) return sale;
    throw refused(named, 'is not the key of a sale in this ledger');
  }
  const [sale, ...others] = await ledger.paidBy(named.toLowerCase());
  if (!sale) throw refused(named, 'did not pay for a sale in this ledger');
  if (others.length === 0) return sale;
  const keys = [sale, ...others].map(({key}) => key).join(', ');
  throw refused(named, `has paid for ${others.length + 1} sales: ${keys}`, 'Name one of them by its key.');
}

function refused(named: string, rule: string, fix?: string): InputError {
  return new InputError({code: 'FZ510', subject: named, rule, fix});
}

/** Returns the transfer that refunds a sale. The payee's wallet signs it; this program never has its key. */
function refundOf(sale: SaleRecord) {
  const {asset, network, payTo, payer, amount} = sale;
  const chainId = Number(network.slice('eip155:'.length));
  // Other programs can write to the ledger, so a mixed-case address may have a wrong checksum.
  const args = [payer.toLowerCase() as Address, BigInt(amount)] as const;
  return {
    words: moneyWords(BigInt(amount), currencyOf(sale)),
    from: payTo,
    to: payer,
    atomic_amount: amount,
    /** An EIP-681 link for wallets. */
    link: `ethereum:${asset}@${chainId}/transfer?address=${payer}&uint256=${amount}`,
    /** The transfer as a transaction. */
    call: {
      chain_id: chainId,
      to: asset,
      value: '0',
      data: encodeFunctionData({abi: erc20Abi, functionName: 'transfer', args}),
    },
  };
}

function instructions(sale: SaleRecord): string {
  const {words, from, to, link, call} = refundOf(sale);
  const {moment, product, state} = rowOf(sale);
  const lines = tableLines([
    ['Refund', words],
    ['to', to],
    ['from', `${from}, the wallet that was paid`],
    ['for', `${product} of ${moment}, ${state}`],
    ['link', link],
    ['or call', call.to],
    ['with data', call.data],
  ]);
  return [...lines, '', 'Then record it: add `--paid TRANSACTION --rpc-url URL` to this command.'].join('\n');
}

/** Checks that a transaction refunds a sale completely, after its payment. Throws `InputError` if not, or without an answer. */
async function checkRefund(node: ChainNode, sale: SaleRecord, transaction: string): Promise<void> {
  await refuseOtherChain(node, sale);
  const receipt = await receiptOf(node, transaction);
  const rule =
    faultOf(receipt, sale) ?? ((await isBefore(node, receipt, sale)) ? 'was sent before the sale was paid' : undefined);
  if (rule !== undefined) throw new InputError({code: 'FZ509', subject: transaction, rule});
}

/** Yields transactions with a transfer of exactly the amount from payee to payer since the sale, oldest first. Throws `InputError`. */
export async function* possibleRefunds(
  node: ChainNode,
  sale: SaleRecord,
  onBlock: (block: number, of: number) => void,
): AsyncGenerator<string> {
  await refuseOtherChain(node, sale);
  if (!sale.transaction) {
    const rule = 'does not have a transaction, so its refund cannot be found';
    const fix = 'Add the transaction of the refund to `--paid`.';
    throw new InputError({code: 'FZ509', subject: sale.key, rule, fix});
  }
  const {blockNumber} = await receiptOf(node, sale.transaction);
  const {number: last} = (await node.block('latest')) ?? {number: blockNumber};
  const filter = {
    contracts: [sale.asset.toLowerCase()],
    topics: [[TRANSFER], ...partiesOf(sale).map(topic => [topic])],
  };
  const search = (first: number, last: number) => node.events({...filter, first, last});
  for await (const window of inWindows(blockNumber, last, search)) {
    onBlock(window.last, last);
    for (const event of window.seen.filter(each => isTransfer(each) && amountOf(each) === BigInt(sale.amount))) {
      // A transfer in the block of the payment may precede it.
      const receipt = await receiptOf(node, event.transactionHash);
      if (!(await isBefore(node, receipt, sale))) yield event.transactionHash;
    }
  }
}

async function refuseOtherChain(node: ChainNode, {network}: SaleRecord): Promise<void> {
  const found = await node.network();
  if (found === network) return;
  throw new InputError({code: 'FZ503', subject: 'The node', rule: `is on ${found}, and the sale is on ${network}`});
}

async function receiptOf(node: ChainNode, transaction: string): Promise<Receipt> {
  const receipt = await node.receipt(transaction);
  if (receipt) return receipt;
  throw new InputError({code: 'FZ509', subject: transaction, rule: 'is not on the chain, or not yet'});
}

async function isBefore(node: ChainNode, {blockNumber, transactionIndex}: Receipt, sale: SaleRecord): Promise<boolean> {
  if (!sale.transaction) {
    const {timestamp = 0} = (await node.block(blockNumber)) ?? {};
    return timestamp < Math.floor(sale.startedAt / 1000);
  }
  const paid = await receiptOf(node, sale.transaction);
  if (blockNumber !== paid.blockNumber) return blockNumber < paid.blockNumber;
  return transactionIndex <= paid.transactionIndex;
}

/** Returns why a transaction does not refund a sale, or undefined if it does. */
function faultOf({status, logs}: Receipt, sale: SaleRecord): string | undefined {
  if (status !== '0x1') return 'has failed: it moved no money';
  const currency = currencyOf(sale);
  const amounts = logs.filter(event => isRefund(event, sale)).map(amountOf);
  const most = amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);
  const amount = BigInt(sale.amount);
  if (most >= amount) return undefined;
  if (most === 0n) return `does not contain a transfer of the asset from ${sale.payTo} to ${sale.payer}`;
  return `refunds ${amountWords(most, currency)} of ${moneyWords(amount, currency)}: a partial refund is not recorded`;
}
