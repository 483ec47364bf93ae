import type {PaymentRequirements} from '@x402/core/types';
import {domainSeparator, parseAbi, type Address} from 'viem';
import {errorMessage} from '../../shared/error-message.ts';
import {nodeAt, type Node} from '../../shared/evm/node.ts';
import {isRevert} from '../payments/chain/contract-signature.ts';
import type {PreflightResult} from './setup.ts';

const TIMEOUT_MS = 1_500;
/** An arbitrary sender for the simulated transfer of 0 tokens. */
const SENDER = '0x000000000000000000000000000000000000dEaD';
/** The start of the code of an externally owned account that has delegated to a contract (EIP-7702). */
const DELEGATION_PREFIX = '0xef0100';

/** `transfer` is declared as a view, because it is only simulated. */
const abi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function transfer(address to, uint256 value) view returns (bool)',
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
  try {
    const client = nodeAt(rpcUrl, {timeoutMs: TIMEOUT_MS});
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
  const message = `has no node: FROZEN_RPC_URL is a node of ${network}, so this gate can settle only there`;
  return {state: 'error', kind: 'network', subject, message};
}

/** Checks that the token exists and accepts the signatures that x402 requires (EIP-712). */
async function tokenResult(
  client: Node,
  chainId: number,
  {asset, extra, network}: PaymentRequirements,
): Promise<PreflightResult> {
  const checked = {kind: 'token', subject: network} as const;
  const address = asset as Address;
  if (!(await client.getCode({address})))
    return {...checked, state: 'error', message: `has no contract at ${asset}, the token of x402: see FROZEN_RPC_URL`};
  const domain = {name: String(extra['name']), version: String(extra['version']), chainId, verifyingContract: address};
  const signatures = `signatures for "${domain.name}", version "${domain.version}"`;
  const separator = await unlessReverted(client.readContract({address, abi, functionName: 'DOMAIN_SEPARATOR'}));
  if (separator === undefined) {
    const message = `has a token at ${asset} that does not report its domain, so it may not accept ${signatures}`;
    return {...checked, state: 'warning', message};
  }
  return separator === domainSeparator({domain})
    ? {...checked, state: 'ok', message: `has a token at ${asset} that accepts ${signatures}`}
    : {
        ...checked,
        state: 'error',
        message: `has a token at ${asset} that does not accept ${signatures}, which x402 requires`,
      };
}

async function payeeResult(client: Node, {network, payTo, asset}: PaymentRequirements): Promise<PreflightResult> {
  const checked = {kind: 'payee', subject: payTo} as const;
  const code = await client.getCode({address: payTo as Address});
  if (!code || code.startsWith(DELEGATION_PREFIX))
    return {...checked, state: 'ok', message: `is an externally owned account on ${network}`};
  const args = [payTo as Address, 0n] as const;
  const transfer = {address: asset as Address, abi, functionName: 'transfer', args, account: SENDER} as const;
  return (await unlessReverted(client.readContract(transfer))) !== undefined
    ? {...checked, state: 'warning', message: `is a contract on ${network}: it must be able to transfer the money`}
    : {...checked, state: 'error', message: `is a contract on ${network} to which the token refuses transfers`};
}

/** Returns the result of a call, or undefined if the contract reverts or does not have the function. */
async function unlessReverted<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isRevert(error)) return undefined;
    throw error;
  }
}
