import {
  parseAbi,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  type Address,
  type Hex,
  type TransactionReceipt,
} from 'viem';
import type {SaleRecord} from '../../paywall/ledger/sale-record.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {nodeAt} from '../../shared/evm/node.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import {amountWords, currencyOf, moneyWords} from '../sales/money.ts';

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** The range of blocks that public nodes accept in one query. */
const WINDOW = 5_000n;

const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);

/** A node of the chain, for refunds. Both methods throw `InputError` on a failed check or without an answer. */
export interface RefundChain {
  /** Checks that a transaction refunds a sale completely, after its payment. */
  check(sale: SaleRecord, transaction: string): Promise<void>;
  /** Yields transactions with a transfer of exactly the amount from payee to payer since the sale, oldest first. */
  search(sale: SaleRecord, onBlock: (block: bigint, of: bigint) => void): AsyncIterable<string>;
}

export function refundChainAt(rpcUrl: string): RefundChain {
  const file = shownAddress(rpcUrl, 'origin');
  const client = nodeAt(rpcUrl, {timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, retries: 3});

  const answer = <T>(asked: Promise<T>) =>
    asked.catch((cause: unknown) => {
      throw new InputError({code: 'FZ503', subject: file, rule: `does not answer: ${errorMessage(cause)}`}, {cause});
    });

  async function refuseOtherChain({network}: SaleRecord): Promise<void> {
    const id = `eip155:${await answer(client.getChainId())}`;
    if (id !== network)
      throw new InputError({code: 'FZ503', subject: file, rule: `is a node of ${id}, and the sale is on ${network}`});
  }

  async function receiptOf(transaction: string): Promise<TransactionReceipt> {
    const receipt = await answer(
      client.getTransactionReceipt({hash: transaction as Hex}).catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError) return undefined;
        throw error;
      }),
    );
    if (receipt) return receipt;
    throw new InputError({code: 'FZ509', subject: transaction, rule: 'is not on the chain, or not yet'});
  }

  async function isBefore({blockNumber, transactionIndex}: TransactionReceipt, sale: SaleRecord): Promise<boolean> {
    if (sale.transaction) {
      const paid = await receiptOf(sale.transaction);
      return blockNumber === paid.blockNumber
        ? transactionIndex <= paid.transactionIndex
        : blockNumber < paid.blockNumber;
    }
    const {timestamp} = await answer(client.getBlock({blockNumber}));
    return timestamp < BigInt(Math.floor(sale.startedAt / 1000));
  }

  return {
    async check(sale, transaction) {
      await refuseOtherChain(sale);
      const receipt = await receiptOf(transaction);
      const fault = faultOf(receipt, sale);
      if (fault !== undefined) throw new InputError({code: 'FZ509', subject: transaction, rule: fault});
      if (await isBefore(receipt, sale))
        throw new InputError({code: 'FZ509', subject: transaction, rule: 'was sent before the sale was paid'});
    },
    async *search(sale, onBlock) {
      await refuseOtherChain(sale);
      if (!sale.transaction)
        throw new InputError({
          code: 'FZ509',
          subject: sale.key,
          rule: 'names no transaction to search from: name the refund with --paid',
        });
      const {blockNumber} = await receiptOf(sale.transaction);
      const last = await answer(client.getBlockNumber());
      const filter = {
        address: sale.asset.toLowerCase() as Address,
        event: abi[0],
        args: argsOf(sale),
        strict: true,
      } as const;
      for (let fromBlock = blockNumber; fromBlock <= last; fromBlock += WINDOW) {
        onBlock(fromBlock, last);
        const end = fromBlock + WINDOW - 1n;
        const toBlock = end < last ? end : last;
        for (const {args, transactionHash} of await answer(client.getLogs({...filter, fromBlock, toBlock})))
          if (args.value === BigInt(sale.amount)) yield transactionHash;
      }
    },
  };
}

/** Returns why a transaction does not refund a sale, or undefined if it does. */
function faultOf({status, logs}: TransactionReceipt, sale: SaleRecord): string | undefined {
  if (status !== 'success') return 'has failed: it moved no money';
  const currency = currencyOf(sale);
  const values = parseEventLogs({abi, eventName: 'Transfer', args: argsOf(sale), logs})
    .filter(({address}) => address.toLowerCase() === sale.asset.toLowerCase())
    .map(({args}) => args.value);
  const most = values.reduce((most, value) => (value > most ? value : most), 0n);
  const amount = BigInt(sale.amount);
  if (most >= amount) return undefined;
  if (most === 0n) return `has no transfer of the asset from ${sale.payTo} to ${sale.payer}`;
  return `pays back ${amountWords(most, currency)} of ${moneyWords(amount, currency)}: a refund of a part is not noted`;
}

function argsOf({payTo, payer}: SaleRecord) {
  return {from: payTo.toLowerCase() as Address, to: payer.toLowerCase() as Address};
}
