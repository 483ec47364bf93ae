import {
  decodeAbiParameters,
  encodeAbiParameters,
  erc6492SignatureValidatorByteCode,
  multicall3Abi,
  numberToHex,
  pad,
  toFunctionSelector,
  type Hex,
} from 'viem';
import {CHAIN_ID, keyOf, TOKEN, type Block, type Chain, type Log, type Mined} from './chain.ts';

const BALANCE_OF = toFunctionSelector('balanceOf(address)');
const AUTHORIZATION_STATE = toFunctionSelector('authorizationState(address,bytes32)');
/** Where Multicall3 is on most chains. */
const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';
const [AGGREGATE3] = multicall3Abi;
const VALIDATOR = [{type: 'address'}, {type: 'bytes32'}, {type: 'bytes'}] as const;
const HASH = pad('0x');

interface Filter {
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
  readonly fromBlock: string;
  readonly toBlock: string;
}

/**
 * Answers a JSON-RPC request as a node does whose latest block is `lag` blocks behind the chain. Throws for a method that the gate does not
 * use, so that a new call is noticed.
 */
export function answerRpc(chain: Chain, lag: number, method: string, params: readonly unknown[]): unknown {
  const blocks = chain.blocks.slice(0, Math.max(1, chain.blocks.length - lag));
  const head = blocks.at(-1) as Block;
  switch (method) {
    case 'eth_chainId':
      return numberToHex(CHAIN_ID);
    case 'eth_blockNumber':
      return numberToHex(head.number);
    case 'eth_getBlockByNumber':
      return blockAnswer(blockAt(blocks, params[0] as string, chain));
    case 'eth_getCode':
      return chain.wallets.has((params[0] as string).toLowerCase()) ? '0x60' : '0x';
    case 'eth_getLogs':
      return logsOf(blocks, params[0] as Filter);
    case 'eth_getTransactionReceipt':
      return receiptOf(blocks, params[0] as Hex);
    case 'eth_call':
      return call(
        chain,
        blockAt(blocks, (params[1] as string | undefined) ?? 'latest', chain),
        params[0] as {to?: Hex; data: Hex},
      );
    default:
      throw new Error(`the simulated node does not know ${method}`);
  }
}

function blockAt(blocks: readonly Block[], tag: string, chain: Chain): Block | undefined {
  if (tag === 'latest') return blocks.at(-1);
  const number = tag === 'finalized' ? chain.finalized.number : Number(tag);
  return blocks[Math.min(number, tag === 'finalized' ? blocks.length - 1 : number)];
}

function blockAnswer(block: Block | undefined): object | null {
  if (!block) return null;
  return {
    number: numberToHex(block.number),
    hash: block.hash,
    timestamp: numberToHex(block.timestamp),
    transactions: [],
  };
}

function call(chain: Chain, block: Block | undefined, {to, data}: {to?: Hex; data: Hex}): Hex {
  if (!block) throw new Error('header not found');
  if (to === undefined) {
    const parameters: Hex = `0x${data.slice(erc6492SignatureValidatorByteCode.length)}`;
    const [address, hash, signature] = decodeAbiParameters(VALIDATOR, parameters);
    return chain.isSignatureOf(address, hash, signature) ? '0x01' : '0x00';
  }
  if (to.toLowerCase() === MULTICALL && chain.hasMulticall) {
    const [calls] = decodeAbiParameters(AGGREGATE3.inputs, `0x${data.slice(10)}`);
    const results = calls.map(({callData}) => ({success: true, returnData: callToken(block, callData)}));
    return encodeAbiParameters(AGGREGATE3.outputs, [results]);
  }
  if (to.toLowerCase() === TOKEN) return callToken(block, data);
  // An address without code returns nothing.
  return '0x';
}

/** The answer of the token at a block. The selectors are compared as text, since viem hashes the whole ABI for each call. */
function callToken({state: {balances, authorizations}}: Block, data: Hex): Hex {
  const [account, word] = [`0x${data.slice(34, 74)}`, `0x${data.slice(74)}`] as const;
  switch (data.slice(0, 10)) {
    case BALANCE_OF:
      return pad(numberToHex(balances.get(account) ?? 0n));
    case AUTHORIZATION_STATE:
      return pad(authorizations.has(keyOf(account, word)) ? '0x1' : '0x0');
    default:
      throw new Error(`the simulated token does not know ${data.slice(0, 10)}`);
  }
}

function logsOf(blocks: readonly Block[], {topics = [], fromBlock, toBlock}: Filter): Log[] {
  const last = toBlock === 'latest' ? blocks.length - 1 : Number(toBlock);
  return blocks
    .slice(Number(fromBlock), last + 1)
    .flatMap(({mined}) => mined.flatMap(({logs}) => logs))
    .filter(log =>
      topics.every((wanted, index) => wanted === null || [wanted].flat().includes(log.topics[index] ?? '0x')),
    );
}

function receiptOf(blocks: readonly Block[], hash: Hex): object | null {
  for (const {number, hash: blockHash, mined} of blocks) {
    const found = mined.find(({transaction}) => transaction.hash === hash);
    if (found) return receiptAnswer(found, number, blockHash);
  }
  return null;
}

function receiptAnswer({transaction, isSuccess, logs}: Mined, number: number, blockHash: Hex): object {
  return {
    transactionHash: transaction.hash,
    blockHash,
    blockNumber: numberToHex(number),
    transactionIndex: '0x0',
    status: isSuccess ? '0x1' : '0x0',
    logs,
    ...{
      from: HASH.slice(0, 42),
      to: TOKEN,
      cumulativeGasUsed: '0x1',
      gasUsed: '0x1',
      effectiveGasPrice: '0x1',
      type: '0x2',
    },
  };
}
