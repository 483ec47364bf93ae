import {InputError, wrongUsage} from '../../shared/fault.ts';
import {rowOf} from '../sales/write.ts';
import {currencyOf, moneyWords} from '../sales/money.ts';
import type {RefundLedger} from '../sales/source.ts';
import type {Terminal} from '../terminal/command.ts';
import {chainNodeAt} from '../sales/reconcile/node.ts';
import {checkRefund, possibleRefunds} from './chain.ts';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {isIncome} from '../sales/totals.ts';
import {encodeFunctionData, erc20Abi, type Address} from 'viem';
import {tableLines} from '../terminal/table.ts';

interface RefundOptions {
  /** The transaction of the refund; true to search the chain for it. */
  readonly paid?: string | true | undefined;
  readonly rpcUrl?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Prints how to refund a sale, or records the refund once the chain shows it. */
export async function refundSale(
  named: string,
  {paid, rpcUrl, json}: RefundOptions,
  ledger: RefundLedger,
  {out, line}: Pick<Terminal, 'out' | 'line'>,
): Promise<void> {
  if (paid !== undefined && !rpcUrl)
    throw wrongUsage({code: 'FZ903', field: '--paid', rule: 'needs a node of the chain', fix: 'Add `--rpc-url`.'});
  const sale = await saleToRefund(named, ledger);
  const tell = (facts: object, words: string) =>
    out.write(`${json ? JSON.stringify({ok: true, ...facts}, null, 2) : words}\n`);
  if (paid === undefined || !rpcUrl) {
    tell({sale: rowOf(sale), refund: refundOf(sale)}, instructions(sale));
    return;
  }
  const node = chainNodeAt(rpcUrl);
  const onBlock = (block: number, of: number) => {
    line.show(() => `block ${block} of ${of}`);
  };
  const found = paid === true ? possibleRefunds(node, sale, onBlock) : [paid];
  for await (const transaction of found) {
    await checkRefund(node, sale, transaction);
    if (!(await ledger.refund(sale.key, transaction))) continue;
    const words = `Recorded: ${moneyWords(BigInt(sale.amount), currencyOf(sale))} were paid back to ${sale.payer} by ${transaction}.`;
    const again = await ledger.withKey(sale.key);
    tell({sale: rowOf(again ?? sale)}, words);
    return;
  }
  if (paid === true)
    throw new InputError({
      code: 'FZ509',
      subject: named,
      rule: 'has no refund that could be recorded, according to the node',
      fix: 'If you sent one, name its transaction: the node may have deleted events of that time.',
    });
  throw new InputError({
    code: 'FZ509',
    subject: paid,
    rule: 'is recorded as the refund of another sale, or this sale has another refund',
  });
}

const LOOK_ON_THE_CHAIN =
  'Pay nothing back yet. `frozen sales --reconcile` shows whether the money arrived, and a gate with `FROZEN_RPC_URL` records it.';

const TRANSACTION = /^0x[0-9a-f]{64}$/i;

/** Finds a sale by its transaction or its key. Throws `InputError` if it does not exist or cannot be refunded. */
async function saleToRefund(named: string, ledger: RefundLedger): Promise<SaleRecord> {
  const sale = await saleNamed(named, ledger);
  if (sale.refund !== null) {
    const when = sale.refundedAt === null ? '' : ` (recorded ${new Date(sale.refundedAt).toISOString()})`;
    throw refused(named, `was paid back by ${sale.refund}${when}`, 'Do not pay it back again.');
  }
  if (isIncome(sale)) return sale;
  const isOpen = sale.state === 'pending' || sale.state === 'indeterminate';
  const unpaid = `was not paid: it is ${sale.state}${sale.reason ? `, ${sale.reason}` : ''}`;
  throw isOpen
    ? refused(named, `is ${sale.state}: whether it was paid is not known yet`, LOOK_ON_THE_CHAIN)
    : refused(named, unpaid, 'Pay nothing back for this sale.');
}

async function saleNamed(named: string, ledger: RefundLedger): Promise<SaleRecord> {
  if (!TRANSACTION.test(named)) {
    const sale = await ledger.withKey(named.toLowerCase());
    if (sale) return sale;
    throw refused(named, 'is not the key of a sale in this ledger');
  }
  const [sale, ...others] = await ledger.paidBy(named.toLowerCase());
  if (!sale) throw refused(named, 'paid for no sale in this ledger');
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

/** Returns the instructions for the terminal. */
function instructions(sale: SaleRecord): string {
  const {words, from, to, link, call} = refundOf(sale);
  const {moment, product, state} = rowOf(sale);
  const lines = tableLines([
    ['Pay back', words],
    ['to', to],
    ['from', `${from}, the wallet that was paid`],
    ['for', `${product} of ${moment}, ${state}`],
    ['link', link],
    ['or call', call.to],
    ['with data', call.data],
  ]);
  return [...lines, '', 'Then record it: add `--paid TRANSACTION --rpc-url URL` to this command.'].join('\n');
}
