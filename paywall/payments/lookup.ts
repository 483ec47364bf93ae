import {createPublicClient, http, parseAbi, parseEventLogs} from 'viem';
import type {Address, Hex} from 'viem';
import type {PaymentRequirements} from '@x402/core/types';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import type {Claim} from './claim.ts';

/** What the chain says of an authorization: the transaction that paid it, that none did, or nothing. */
export type Finding =
  {readonly kind: 'paid'; readonly transaction: string} | {readonly kind: 'unpaid'} | {readonly kind: 'unavailable'};

/** Looks an authorization up on the chain. Never throws. */
export type LookUp = (claim: Claim, requirements: PaymentRequirements) => Promise<Finding>;

const TIMEOUT_MS = 1_500;
/** The receipt of a transaction with some thousand payments in it. */
const MOST_BYTES = 2 * 1024 * 1024;
/** As far back as public nodes let one search; about 2.7 hours on Base. */
const BLOCKS = 5_000n;

const abi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/**
 * Asks a node of the chain at `rpcUrl`. A used nonce alone proves nothing, since a payer can also cancel it or spend it
 * on somebody else (EIP-3009): what counts is the transfer to the payee in the transaction that used it.
 */
export function lookUpAt(rpcUrl: string): LookUp {
  const fetchFn = boundedFetch({maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS});
  const client = createPublicClient({transport: http(rpcUrl, {timeout: TIMEOUT_MS, retryCount: 0, fetchFn})});
  return async function lookUp({payload: {authorization}}, {network, asset, payTo, amount}) {
    try {
      if (network !== `eip155:${await client.getChainId()}`) return {kind: 'unavailable'};
      const address = asset as Address;
      const from = authorization.from as Address;
      const latest = await client.getBlockNumber();
      const [used] = await client.getLogs({
        address,
        event: abi[1],
        args: {authorizer: from, nonce: authorization.nonce as Hex},
        fromBlock: latest > BLOCKS ? latest - BLOCKS : 0n,
      });
      if (!used) {
        const args = [from, authorization.nonce as Hex] as const;
        const isUsed = await client.readContract({address, abi, functionName: 'authorizationState', args});
        return {kind: isUsed ? 'unavailable' : 'unpaid'}; // used longer ago than can be searched
      }
      const {logs} = await client.getTransactionReceipt({hash: used.transactionHash});
      const args = {from, to: payTo as Address, value: BigInt(amount)};
      const transfers = parseEventLogs({abi, eventName: 'Transfer', args, logs});
      // A transaction may hold several payments: the transfer of this one is the very next event.
      const paid = transfers.some(
        log => log.address.toLowerCase() === asset.toLowerCase() && log.logIndex === used.logIndex + 1,
      );
      return paid ? {kind: 'paid', transaction: used.transactionHash} : {kind: 'unpaid'};
    } catch {
      return {kind: 'unavailable'}; // no node, no answer: the cashier then has only the facilitator's word
    }
  };
}
