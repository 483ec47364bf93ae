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
  type PublicClient,
} from 'viem';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {errorMessage} from '../../shared/error-message.ts';
import type {Finding} from './finding.ts';

const TIMEOUT_MS = 1_500;
const MOST_BYTES = 1024 * 1024;
/** Tokens go to nobody from here: any sender does for a transfer of nothing that is only tried. */
const SENDER = '0x000000000000000000000000000000000000dEaD';
/** The code of an account of a key that has delegated to a contract (EIP-7702). */
const DELEGATED = '0xef0100';
/** The parts of a domain that a token has, as EIP-5267 counts them. */
const ALL_BUT_SALT = '0x0f';

const abi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function transfer(address to, uint256 value) returns (bool)',
]);

/**
 * Asks the node at `rpcUrl` whether payments on its network can arrive.
 *
 * @param settles whether payments arrive by this node alone
 */
export async function askChain(
  rpcUrl: string,
  requirements: readonly PaymentRequirements[],
  settles = false,
): Promise<Finding[]> {
  const {host} = new URL(rpcUrl);
  const doubt = (words: string): Finding => ({state: 'doubt', what: 'node', subject: host, words});
  const fetchFn = boundedFetch({maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS});
  const transport = http(rpcUrl, {timeout: TIMEOUT_MS, retryCount: 0, fetchFn});
  const client = createPublicClient({transport, cacheTime: 0});
  try {
    const chainId = await client.getChainId();
    const network = `eip155:${chainId}`;
    const here = requirements.filter(requirement => requirement.network === network);
    const elsewhere = requirements.filter(requirement => settles && requirement.network !== network);
    if (here.length === 0 && !settles) return [doubt(`is a node of ${network}, on which nobody is paid: see RPC_URL`)];
    const asked = here.flatMap(one => [tokenFinding(client, chainId, one), payeeFinding(client, one)]);
    return [...elsewhere.map(required => unsettled(required, network)), ...(await Promise.all(asked))];
  } catch (error) {
    return [doubt(`does not say whether payments can arrive: ${errorMessage(error)}`)];
  }
}

function unsettled(required: PaymentRequirements, network: string): Finding {
  const words = `is not the network of the node of RPC_URL, ${network}, on which alone this gate settles`;
  return {state: 'fault', what: 'network', subject: required.network, words};
}

/** Whether the token is there, and takes what x402 has buyers sign (EIP-712). */
async function tokenFinding(client: PublicClient, chainId: number, required: PaymentRequirements): Promise<Finding> {
  const {asset, extra} = required;
  const finding = {what: 'token', subject: required.network} as const;
  const address = asset as Address;
  if (!(await client.getCode({address})))
    return {...finding, state: 'fault', words: `has no token at ${asset}, where x402 pays, says the node of RPC_URL`};
  const domain = {name: String(extra['name']), version: String(extra['version']), chainId, verifyingContract: address};
  const signature = `signatures for "${domain.name}", version "${domain.version}"`;
  switch (await takesDomain(client, domain)) {
    case undefined:
      return {
        ...finding,
        state: 'doubt',
        words: `has a token at ${asset} that does not say whether it takes ${signature}`,
      };
    case true:
      return {...finding, state: 'fine', words: `has a token at ${asset} that takes ${signature}`};
    case false:
      return {
        ...finding,
        state: 'fault',
        words: `has a token at ${asset} that takes no ${signature}, which x402 asks for`,
      };
  }
}

interface Domain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

/** Whether a token's EIP-712 domain is this; undefined where it tells neither its hash nor its parts (EIP-5267). */
async function takesDomain(client: PublicClient, domain: Domain): Promise<boolean | undefined> {
  const address = domain.verifyingContract;
  const hash = await unlessRefused(client.readContract({address, abi, functionName: 'DOMAIN_SEPARATOR'}));
  if (hash !== undefined) return hash === domainSeparator({domain});
  const said = await unlessRefused(client.getEip712Domain({address}));
  if (!said) return undefined;
  const {name, version, chainId, verifyingContract} = said.domain;
  const parts = {name, version, chainId, verifyingContract};
  return said.fields === ALL_BUT_SALT && domainSeparator({domain: parts}) === domainSeparator({domain});
}

async function payeeFinding(client: PublicClient, {network, payTo, asset}: PaymentRequirements): Promise<Finding> {
  const finding = {what: 'payee', subject: payTo} as const;
  const code = await client.getCode({address: payTo as Address});
  if (!code || code.startsWith(DELEGATED))
    return {...finding, state: 'fine', words: `is the account of a key on ${network}`};
  const args = [payTo as Address, 0n] as const;
  const transfer = {address: asset as Address, abi, functionName: 'transfer', args, account: SENDER} as const;
  return (await unlessRefused(client.simulateContract(transfer)))
    ? {...finding, state: 'doubt', words: `is a contract on ${network}: it must be able to pass the money on`}
    : {...finding, state: 'fault', words: `is a contract on ${network}, and the token pays it nothing`};
}

/** What a contract answers; nothing where it refuses, or does not know the question. */
async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BaseError && error.walk(isRefusal) !== null) return undefined;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof ContractFunctionRevertedError ||
    error instanceof ContractFunctionZeroDataError ||
    (error instanceof BaseError && error.name === 'Eip712DomainNotFoundError')
  );
}
