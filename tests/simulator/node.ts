import {
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  erc6492SignatureValidatorByteCode,
  multicall3Abi,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  parseTransaction,
  serializeSignature,
  toFunctionSelector,
  type Hex,
} from 'viem';
import {GAS, keyOf, RpcFault, type Block, type Call, type Chain, type Log} from './chain.ts';
import {CHAIN_ID, TOKEN} from './keys.ts';

const BALANCE_OF = toFunctionSelector('balanceOf(address)');
const AUTHORIZATION_STATE = toFunctionSelector('authorizationState(address,bytes32)');
const NAME = toFunctionSelector('name()');
const VERSION = toFunctionSelector('version()');
const IS_VALID_SIGNATURE = toFunctionSelector('isValidSignature(bytes32,bytes)');
const transfers = parseAbi([
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
]);
const TIP = 10n ** 6n;
/** The address of Multicall3 on most chains. */
const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';
const [AGGREGATE3] = multicall3Abi;
const VALIDATOR = [{type: 'address'}, {type: 'bytes32'}, {type: 'bytes'}] as const;

interface Filter {
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
  readonly fromBlock: string;
  readonly toBlock: string;
}

/**
 * Answers a JSON-RPC request like a node that is `lag` blocks behind the chain. Throws for a method that the gate does not use, so that a
 * new call is noticed.
 */
export function answerRpc(chain: Chain, lag: number, method: string, params: readonly unknown[]): unknown {
  const blocks = lag === 0 ? chain.blocks : chain.blocks.slice(0, Math.max(1, chain.blocks.length - lag));
  const head = blocks.at(-1) as Block;
  switch (method) {
    case 'eth_chainId':
      return numberToHex(CHAIN_ID);
    case 'eth_blockNumber':
      return numberToHex(head.number);
    case 'eth_getBlockByNumber':
      return blockAnswer(blockAt(blocks, chain, params[0] as string));
    case 'eth_getCode':
      return [TOKEN, ...chain.wallets.keys()].includes((params[0] as string).toLowerCase()) ? '0x60' : '0x';
    case 'eth_getTransactionCount':
      return numberToHex(params[1] === 'pending' && lag === 0 ? chain.pendingNonce : head.state.nonce);
    case 'eth_getBalance':
      return numberToHex(chain.gasBalance(head));
    case 'eth_maxPriorityFeePerGas':
      return numberToHex(TIP);
    case 'eth_feeHistory':
      return {oldestBlock: '0x0', gasUsedRatio: [0.5], baseFeePerGas: Array(2).fill(numberToHex(chain.baseFee))};
    case 'eth_estimateGas': {
      const wanted = callIn((params[0] as {data?: Hex}).data);
      if (wanted.kind === 'transfer' && chain.faultOf(wanted, head) !== undefined)
        throw new RpcFault('execution reverted', 3);
      return numberToHex(GAS);
    }
    case 'eth_sendRawTransaction': {
      const raw = params[0] as Hex;
      const {nonce = 0, data, maxFeePerGas = 0n} = parseTransaction(raw);
      chain.send(keccak256(raw), callIn(data), {nonce, maxFee: maxFeePerGas});
      return keccak256(raw);
    }
    case 'eth_getLogs':
      return logsOf(blocks, params[0] as Filter);
    case 'eth_getTransactionReceipt':
      return receiptOf(blocks, params[0] as Hex);
    case 'eth_call':
      return call(chain, blockAt(blocks, chain, params[1] as string), params[0] as {to?: Hex; data: Hex});
    default:
      throw new Error(`the simulated node does not know ${method}`);
  }
}

function blockAt(blocks: readonly Block[], chain: Chain, tag = 'latest'): Block | undefined {
  if (tag === 'latest') return blocks.at(-1);
  const number = tag === 'finalized' ? chain.finalized.number : Number(tag);
  return blocks[Math.min(number, tag === 'finalized' ? blocks.length - 1 : number)];
}

function blockAnswer(block: Block | undefined): object | null {
  if (!block) return null;
  const {number, hash, timestamp} = block;
  return {number: numberToHex(number), hash, timestamp: numberToHex(timestamp), transactions: []};
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
  if (data.startsWith(IS_VALID_SIGNATURE)) {
    const [hash, signature] = decodeAbiParameters([{type: 'bytes32'}, {type: 'bytes'}], `0x${data.slice(10)}`);
    return `${chain.isSignatureOf(to, hash, signature) ? '0x1626ba7e' : '0xffffffff'}${'0'.repeat(56)}`;
  }
  // An address without code returns nothing.
  return '0x';
}

/** The call of the token in the data of a transaction. */
function callIn(data: Hex = '0x'): Call {
  if (data === '0x') return {kind: 'nothing'};
  const {args} = decodeFunctionData({abi: transfers, data});
  const [from, to, value, validAfter, validBefore, nonce, last, r, s] = args;
  const signature = r === undefined || s === undefined ? last : serializeSignature({v: BigInt(last), r, s});
  return {
    kind: 'transfer',
    authorization: {from, to, value, validAfter, validBefore, nonce},
    signature: signature as Hex,
  };
}

/** The answer of the token at a block. The selectors are compared as text, since viem hashes the whole ABI for each call. */
function callToken({state: {balances, authorizations}}: Block, data: Hex): Hex {
  const [account, word] = [`0x${data.slice(34, 74)}`, `0x${data.slice(74)}`] as const;
  switch (data.slice(0, 10)) {
    case BALANCE_OF:
      return pad(numberToHex(balances.get(account) ?? 0n));
    case AUTHORIZATION_STATE:
      return pad(authorizations.has(keyOf(account, word)) ? '0x1' : '0x0');
    case NAME:
      return encodeAbiParameters([{type: 'string'}], ['USDC']);
    case VERSION:
      return encodeAbiParameters([{type: 'string'}], ['2']);
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

function receiptOf(blocks: readonly Block[], transactionHash: Hex): object | null {
  for (const {number, hash: blockHash, mined} of blocks) {
    const found = mined.find(({transaction}) => transaction.hash === transactionHash);
    if (!found) continue;
    const {isSuccess, logs} = found;
    return {transactionHash, blockHash, blockNumber: numberToHex(number), status: isSuccess ? '0x1' : '0x0', logs};
  }
  return null;
}
