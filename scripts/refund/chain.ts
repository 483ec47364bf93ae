import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {InputError} from '../../shared/fault.ts';
import {amountWords, currencyOf, moneyWords} from '../sales/money.ts';
import {type ChainNode, type Receipt, inWindows} from '../sales/reconcile/node.ts';
import {amountOf, isPaidBack, isTransfer, partiesOf, TRANSFER} from '../sales/reconcile/payments.ts';

/** Checks that a transaction refunds a sale completely, after its payment. Throws `InputError` if not, or without an answer. */
export async function checkRefund(node: ChainNode, sale: SaleRecord, transaction: string): Promise<void> {
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
    throw new InputError({
      code: 'FZ509',
      subject: sale.key,
      rule: 'does not have a transaction, so its refund cannot be found',
      fix: 'Add the transaction of the refund to `--paid`.',
    });
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
  const amounts = logs.filter(event => isPaidBack(event, sale)).map(amountOf);
  const most = amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);
  const amount = BigInt(sale.amount);
  if (most >= amount) return undefined;
  if (most === 0n) return `does not contain a transfer of the asset from ${sale.payTo} to ${sale.payer}`;
  return `pays back ${amountWords(most, currency)} of ${moneyWords(amount, currency)}: a partial refund is not recorded`;
}
