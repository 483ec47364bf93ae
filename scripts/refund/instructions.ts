import {encodeFunctionData, erc20Abi, type Address} from 'viem';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {rowOf} from '../sales/columns.ts';
import {currencyOf, moneyWords} from '../sales/money.ts';
import {tableLines} from '../terminal/table.ts';

/** Returns the transfer that refunds a sale. The payee's wallet signs it; this program never has its key. */
export function refundOf(sale: SaleRecord) {
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
export function instructions(sale: SaleRecord): string {
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
