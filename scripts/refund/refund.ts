import {InputError} from '../../shared/fault.ts';
import {rowOf} from '../sales/columns.ts';
import {currencyOf, moneyWords} from '../sales/money.ts';
import type {RefundLedger} from '../sales/source.ts';
import type {Terminal} from '../terminal/command.ts';
import {chainNodeAt} from '../sales/reconcile/node.ts';
import {checkRefund, possibleRefunds} from './chain.ts';
import {instructions, refundOf} from './instructions.ts';
import {saleToRefund} from './sale-to-refund.ts';

export interface RefundOptions {
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
    throw new InputError(
      {code: 'FZ903', field: '--paid', rule: 'needs a node of the chain: give --rpc-url'},
      {ofUsage: true},
    );
  const sale = await saleToRefund(named, ledger);
  const tell = (facts: object, words: string) =>
    out.write(`${json ? JSON.stringify({ok: true, ...facts}, null, 2) : words}\n`);
  if (paid === undefined || !rpcUrl) {
    tell({sale: rowOf(sale), refund: refundOf(sale)}, instructions(sale, named));
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
    throw new InputError({code: 'FZ509', subject: named, rule: 'has no refund on the chain that is not recorded yet'});
  throw new InputError({
    code: 'FZ509',
    subject: paid,
    rule: 'is recorded as the refund of another sale, or this sale has another refund',
  });
}
