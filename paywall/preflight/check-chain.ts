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
import type {PreflightResult} from './setup.ts';

const TIMEOUT_MS = 1_500;
const MAX_BYTES = 1024 * 1024;
/** An arbitrary sender for the simulated transfer of 0 tokens. */
const SENDER = '0x000000000000000000000000000000000000dEaD';
/** The start of the code of an externally owned account that has delegated to a contract (EIP-7702). */
const DELEGATION_PREFIX = '0xef0100';
/** The bit mask of EIP-5267 for a domain that has all fields except the salt. */
const ALL_BUT_SALT = '0x0f';

const abi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function transfer(address to, uint256 value) returns (bool)',
]);

/**
 * Checks with the node at `rpcUrl` whether payments on its network can succeed.
 *
 * @param settles true if the gate settles all payments through this node
 */
export async function checkChain(
  rpcUrl: string,
  requirements: readonly PaymentRequirements[],
  settles = false,
): Promise<PreflightResult[]> {
  const {host} = new URL(rpcUrl);
  const warning = (message: string): PreflightResult => ({state: 'warning', kind: 'node', subject: host, message});
  const fetchFn = boundedFetch({maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS});
  const transport = http(rpcUrl, {timeout: TIMEOUT_MS, retryCount: 0, fetchFn});
  const client = createPublicClient({transport, cacheTime: 0});
  try {
    const chainId = await client.getChainId();
    const network = `eip155:${chainId}`;
    const onNetwork = requirements.filter(requirement => requirement.network === network);
    const elsewhere = requirements.filter(requirement => settles && requirement.network !== network);
    if (onNetwork.length === 0 && !settles)
      return [warning(`is a node of ${network}, on which this site accepts no payments: see FROZEN_RPC_URL`)];
    const checks = onNetwork.flatMap(one => [tokenResult(client, chainId, one), payeeResult(client, one)]);
    return [...elsewhere.map(one => noNodeError(one.network, network)), ...(await Promise.all(checks))];
  } catch (error) {
    return [warning(`gives no usable answer: ${errorMessage(error)}`)];
  }
}

function noNodeError(subject: string, network: string): PreflightResult {
  const message = `does not have a node: FROZEN_RPC_URL is a node of ${network}, so this gate can settle only there`;
  return {state: 'error', kind: 'network', subject, message};
}

/** Checks that the token exists and accepts the signatures that x402 requires (EIP-712). */
async function tokenResult(
  client: PublicClient,
  chainId: number,
  {asset, extra, network}: PaymentRequirements,
): Promise<PreflightResult> {
  const checked = {kind: 'token', subject: network} as const;
  const address = asset as Address;
  if (!(await client.getCode({address})))
    return {
      ...checked,
      state: 'error',
      message: `does not have a contract at ${asset}, the token of x402: see FROZEN_RPC_URL`,
    };
  const domain = {name: String(extra['name']), version: String(extra['version']), chainId, verifyingContract: address};
  const signatures = `signatures for "${domain.name}", version "${domain.version}"`;
  const hasThisDomain = await hasDomain(client, domain);
  if (hasThisDomain === undefined) {
    const message = `has a token at ${asset} that does not report its domain, so it may not accept ${signatures}`;
    return {...checked, state: 'warning', message};
  }
  return hasThisDomain
    ? {...checked, state: 'ok', message: `has a token at ${asset} that accepts ${signatures}`}
    : {
        ...checked,
        state: 'error',
        message: `has a token at ${asset} that does not accept ${signatures}, which x402 requires`,
      };
}

interface Domain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

/** Returns true if a token has this EIP-712 domain, or undefined if it reports neither the hash nor the fields of its domain (EIP-5267). */
async function hasDomain(client: PublicClient, domain: Domain): Promise<boolean | undefined> {
  const address = domain.verifyingContract;
  const hash = await unlessRefused(client.readContract({address, abi, functionName: 'DOMAIN_SEPARATOR'}));
  if (hash !== undefined) return hash === domainSeparator({domain});
  const reported = await unlessRefused(client.getEip712Domain({address}));
  if (!reported) return undefined;
  const {name, version, chainId, verifyingContract} = reported.domain;
  const fields = {name, version, chainId, verifyingContract};
  return reported.fields === ALL_BUT_SALT && domainSeparator({domain: fields}) === domainSeparator({domain});
}

async function payeeResult(
  client: PublicClient,
  {network, payTo, asset}: PaymentRequirements,
): Promise<PreflightResult> {
  const checked = {kind: 'payee', subject: payTo} as const;
  const code = await client.getCode({address: payTo as Address});
  if (!code || code.startsWith(DELEGATION_PREFIX))
    return {...checked, state: 'ok', message: `is an externally owned account on ${network}`};
  const args = [payTo as Address, 0n] as const;
  const transfer = {address: asset as Address, abi, functionName: 'transfer', args, account: SENDER} as const;
  return (await unlessRefused(client.simulateContract(transfer)))
    ? {...checked, state: 'warning', message: `is a contract on ${network}: it must be able to transfer the money`}
    : {...checked, state: 'error', message: `is a contract on ${network} to which the token refuses transfers`};
}

/** Returns the result of a call, or undefined if the contract reverts or does not have the function. */
async function unlessRefused<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
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
