import {decodeAbiParameters, decodeFunctionData, encodeAbiParameters, keccak256, numberToHex, pad} from 'viem';
import {parseAbi, parseTransaction, serializeSignature, toFunctionSelector, type Hex} from 'viem';
import {erc6492SignatureValidatorByteCode, multicall3Abi} from 'viem';
import {GAS, keyOf, minedIn, RpcFault, type Block, type Call, type Chain} from './chain.ts';
import {CHAIN_ID, TOKEN} from './keys.ts';

const transfers = parseAbi([
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
]);
const TIP = 10n ** 6n;
/** The address of Multicall3 on most chains. */
const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';
const [AGGREGATE3] = multicall3Abi;
const IS_VALID_SIGNATURE = toFunctionSelector('isValidSignature(bytes32,bytes)');
const VALIDATOR = [{type: 'address'}, {type: 'bytes32'}, {type: 'bytes'}] as const;

/** The chain as a node sees it that is some blocks behind. */
type View = Readonly<{chain: Chain; blocks: readonly Block[]; head: Block; lag: number}>;

type Filter = Readonly<{topics?: readonly unknown[]; fromBlock: string; toBlock: string}>;

const METHODS: Readonly<Record<string, (view: View, ...params: never[]) => unknown>> = {
  eth_chainId: () => numberToHex(CHAIN_ID),
  eth_blockNumber: ({head}) => numberToHex(head.number),
  eth_getBlockByNumber(view, tag: string) {
    const block = blockAt(view, tag);
    if (!block) return null;
    const {number, hash, timestamp} = block;
    return {number: numberToHex(number), hash, timestamp: numberToHex(timestamp), transactions: []};
  },
  eth_getCode: ({chain}, address: string) =>
    [TOKEN, ...chain.wallets.keys()].includes(address.toLowerCase()) ? '0x60' : '0x',
  eth_getTransactionCount: ({chain, head, lag}, _address: Hex, tag: string) =>
    numberToHex(tag === 'pending' && lag === 0 ? chain.pendingNonce : head.state.nonce),
  eth_getBalance: ({chain, head}) => numberToHex(chain.granted - head.state.spent),
  eth_maxPriorityFeePerGas: () => numberToHex(TIP),
  eth_feeHistory: ({chain: {baseFee}}) => ({
    ...{oldestBlock: '0x0', gasUsedRatio: [0.5], baseFeePerGas: [numberToHex(baseFee), numberToHex(baseFee)]},
  }),
  eth_estimateGas({chain, head}, {data}: {data?: Hex}) {
    const call = callIn(data);
    if (call.kind === 'transfer' && chain.faultOf(call, head) !== undefined)
      throw Object.assign(new RpcFault('execution reverted'), {code: 3});
    return numberToHex(GAS);
  },
  eth_sendRawTransaction({chain}, raw: Hex) {
    const {nonce = 0, data, maxFeePerGas = 0n} = parseTransaction(raw);
    chain.send(keccak256(raw), callIn(data), {nonce, maxFee: maxFeePerGas});
    return keccak256(raw);
  },
  eth_getLogs({blocks}, {topics = [], fromBlock, toBlock}: Filter) {
    const last = toBlock === 'latest' ? blocks.length - 1 : Number(toBlock);
    return blocks
      .slice(Number(fromBlock), last + 1)
      .flatMap(({mined}) => mined.flatMap(({logs}) => logs))
      .filter(log => topics.every((wanted, at) => wanted === null || [wanted].flat().includes(log.topics[at] ?? '0x')));
  },
  eth_getTransactionReceipt: ({blocks}, hash: Hex) => minedIn(blocks, hash)?.receipt ?? null,
  eth_call(view, {to, data = '0x'}: {to?: Hex; data?: Hex}, tag: string) {
    const {chain} = view;
    const block = blockAt(view, tag);
    if (!block) throw new Error('header not found');
    if (to === undefined) {
      const parameters: Hex = `0x${data.slice(erc6492SignatureValidatorByteCode.length)}`;
      return chain.isSignatureOf(...decodeAbiParameters(VALIDATOR, parameters)) ? '0x01' : '0x00';
    }
    if (to.toLowerCase() === MULTICALL && chain.hasMulticall) {
      const [calls] = decodeAbiParameters(AGGREGATE3.inputs, `0x${data.slice(10)}`);
      const results = calls.map(({callData}) => ({success: true, returnData: callToken(block, callData)}));
      return encodeAbiParameters(AGGREGATE3.outputs, [results]);
    }
    if (to.toLowerCase() === TOKEN) return callToken(block, data);
    // An address without code returns nothing.
    if (!data.startsWith(IS_VALID_SIGNATURE)) return '0x';
    const [hash, signature] = decodeAbiParameters([{type: 'bytes32'}, {type: 'bytes'}], `0x${data.slice(10)}`);
    return `${chain.isSignatureOf(to, hash, signature) ? '0x1626ba7e' : '0xffffffff'}${'0'.repeat(56)}`;
  },
};

/** Answers a JSON-RPC request like a node that is `lag` blocks behind the chain. Throws if the gate begins to use another method. */
export function answerRpc(chain: Chain, lag: number, method: string, params: readonly unknown[] = []): unknown {
  const blocks = lag === 0 ? chain.blocks : chain.blocks.slice(0, Math.max(1, chain.blocks.length - lag));
  const answer = METHODS[method];
  if (!answer) throw new Error(`the simulated node does not know ${method}`);
  return answer({chain, blocks, head: blocks.at(-1) as Block, lag}, ...(params as never[]));
}

function blockAt({chain, blocks, head}: View, tag = 'latest'): Block | undefined {
  if (tag === 'latest') return head;
  return blocks[tag === 'finalized' ? Math.min(chain.finalNumber, head.number) : Number(tag)];
}

/** The call of the token in the data of a transaction. */
function callIn(data: Hex = '0x'): Call {
  if (data === '0x') return {kind: 'nothing'};
  const {args} = decodeFunctionData({abi: transfers, data});
  const [from, to, value, validAfter, validBefore, nonce, last, r, s] = args;
  const signature = r === undefined || s === undefined ? last : serializeSignature({v: BigInt(last), r, s});
  const authorization = {from, to, value, validAfter, validBefore, nonce};
  return {kind: 'transfer', authorization, signature: signature as Hex};
}

/** The functions of the token. The selectors are compared as text, since viem hashes the whole ABI for each call. */
const TOKEN_FUNCTIONS: Readonly<Record<string, (state: Block['state'], account: Hex, word: Hex) => Hex>> = {
  [toFunctionSelector('balanceOf(address)')]: ({balances}, account) => pad(numberToHex(balances.get(account) ?? 0n)),
  [toFunctionSelector('authorizationState(address,bytes32)')]: ({authorizations}, account, nonce) =>
    pad(authorizations.has(keyOf(account, nonce)) ? '0x1' : '0x0'),
};

function callToken({state}: Block, data: Hex): Hex {
  const answer = TOKEN_FUNCTIONS[data.slice(0, 10)];
  if (!answer) throw new Error(`the simulated token does not know ${data.slice(0, 10)}`);
  return answer(state, `0x${data.slice(34, 74)}`, `0x${data.slice(74)}`);
}
