import type {PaymentRequirements} from '@x402/core/types';
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  domainSeparator,
  http,
  parseAbi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {wordsOf} from '../payments/words.ts';
import type {Finding} from './finding.ts';

const TIMEOUT_MS = 1_500;
const MOST_BYTES = 1024 * 1024;
/** Tokens go to nobody from here: any sender does for a transfer of nothing that is only tried. */
const SENDER = '0x000000000000000000000000000000000000dEaD';
/** The code of an account of a key that has delegated to a contract (EIP-7702). */
const DELEGATED = '0xef0100';

const abi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function transfer(address to, uint256 value) returns (bool)',
]);

/** Asks the node at `rpcUrl` whether payments on its network can arrive. */
export async function askChain(rpcUrl: string, requirements: readonly PaymentRequirements[]): Promise<Finding[]> {
  const {host} = new URL(rpcUrl);
  const doubt = (words: string): Finding => ({state: 'doubt', what: 'node', subject: host, words});
  const fetchFn = boundedFetch({maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS});
  const transport = http(rpcUrl, {timeout: TIMEOUT_MS, retryCount: 0, fetchFn});
  const client = createPublicClient({transport, cacheTime: 0});
  try {
    const chainId = await client.getChainId();
    const network = `eip155:${chainId}`;
    const here = requirements.filter(requirement => requirement.network === network);
    if (here.length === 0) return [doubt(`is a node of ${network}, on which nobody is paid: see RPC_URL`)];
    const asked = here.flatMap(one => [tokenFinding(client, chainId, one), payeeFinding(client, one)]);
    return await Promise.all(asked);
  } catch (error) {
    return [doubt(`does not say whether payments can arrive: ${reasonOf(error)}`)];
  }
}

/** Whether the token is there, and takes what x402 has buyers sign (EIP-712). */
async function tokenFinding(client: PublicClient, chainId: number, required: PaymentRequirements): Promise<Finding> {
  const {asset, extra} = required;
  const finding = {what: 'token', subject: required.network} as const;
  const address = asset as Address;
  if (!(await client.getCode({address})))
    return {...finding, state: 'fault', words: `has no token at ${asset}, where x402 pays, says the node of RPC_URL`};
  const [name, version] = [String(extra['name']), String(extra['version'])];
  const signed = domainSeparator({domain: {name, version, chainId, verifyingContract: address}});
  const taken = await separatorOf(client, address);
  const signature = `signatures for "${name}", version "${version}"`;
  if (taken === undefined)
    return {
      ...finding,
      state: 'doubt',
      words: `has a token at ${asset} that does not say whether it takes ${signature}`,
    };
  return taken === signed
    ? {...finding, state: 'fine', words: `has a token at ${asset} that takes ${signature}`}
    : {...finding, state: 'fault', words: `has a token at ${asset} that takes no ${signature}, which x402 asks for`};
}

/** The EIP-712 domain of a token, hashed; nothing where it tells neither that nor its parts (EIP-5267). */
async function separatorOf(client: PublicClient, address: Address): Promise<Hex | undefined> {
  try {
    return await client.readContract({address, abi, functionName: 'DOMAIN_SEPARATOR'});
  } catch (error) {
    if (!isRevert(error)) throw error;
  }
  const said = await client.getEip712Domain({address}).catch((error: unknown) => {
    if (error instanceof BaseError && error.name === 'Eip712DomainNotFoundError') return undefined;
    throw error;
  });
  return said && domainSeparator({domain: said.domain});
}

async function payeeFinding(client: PublicClient, {network, payTo, asset}: PaymentRequirements): Promise<Finding> {
  const finding = {what: 'payee', subject: payTo} as const;
  const code = await client.getCode({address: payTo as Address});
  if (!code || code.startsWith(DELEGATED))
    return {...finding, state: 'fine', words: `is the account of a key on ${network}`};
  const args = [payTo as Address, 0n] as const;
  try {
    await client.simulateContract({address: asset as Address, abi, functionName: 'transfer', args, account: SENDER});
  } catch (error) {
    if (!isRevert(error)) throw error;
    return {...finding, state: 'fault', words: `is a contract on ${network}, and the token pays it nothing`};
  }
  return {...finding, state: 'doubt', words: `is a contract on ${network}: it must be able to pass the money on`};
}

function isRevert(error: unknown): boolean {
  const isOne = (cause: unknown) =>
    cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError;
  return error instanceof BaseError && error.walk(isOne) !== null;
}

/** Without the address of the node, whose path may hold a key. */
function reasonOf(error: unknown): string {
  const root = error instanceof BaseError ? error.walk() : error;
  return root instanceof BaseError ? root.shortMessage : wordsOf(root);
}
