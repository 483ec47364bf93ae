import type {Hex} from 'viem';
import type {OnTrouble} from '../facilitator/facilitator.ts';
import {statusesOf, type AuthorizationStatus} from '../../../shared/evm/authorization-status.ts';
import type {Authorization} from '../../../shared/evm/authorization-uses.ts';
import {isSignedByContract, type SignedDigest} from './contract-signature.ts';
import {nodeAt} from '../../../shared/evm/node.ts';
import {errorMessage} from '../../../shared/error-message.ts';

/** A node of the chain. Its methods never throw. */
export interface Chain {
  /**
   * Returns undefined if the sale is on another network.
   *
   * @param since milliseconds since 1970; the authorization was not used before
   */
  find(sale: Authorization, since: number): Promise<AuthorizationStatus | undefined>;
  /** Finds up to `MOST_AUTHORIZATIONS` sales, with about as many requests to the node as for one sale. */
  findAll(sales: readonly Authorization[], since: number): Promise<readonly (AuthorizationStatus | undefined)[]>;
  /**
   * True if the contract at an address accepts a signature of a digest (ERC-1271, ERC-6492). `no node` if this node is of another network.
   * Undefined if the node does not answer.
   */
  isSigned(network: string, signed: SignedDigest): Promise<boolean | 'no node' | undefined>;
}

const TIMEOUT_MS = 1_500;
/** The cache of addresses with and without code: how long an entry is valid, in milliseconds, and how many entries there can be. */
const CODE_FRESH_MS = 10_000;
const MOST_CODES = 10_000;
/** The end of a signature of a contract wallet that is not deployed yet (ERC-6492). */
const ERC6492_SUFFIX = '6492'.repeat(16);

/**
 * Connects to a node of the chain. A used nonce proves nothing, because a payer can also cancel it or spend it on another payee
 * (EIP-3009). Only the transfer to the payee in the transaction that used it counts.
 *
 * @param onTrouble receives the reason why the node does not answer, once until it answers again
 */
export function chainAt(rpcUrl: string, onTrouble: OnTrouble = () => undefined): Chain {
  const client = nodeAt(rpcUrl, {timeoutMs: TIMEOUT_MS});
  const contracts = new Map<Hex, {readonly at: number; readonly isContract: boolean}>();
  let chainId: number | undefined;
  let isReported = false;

  /** The promise is not shared: if a Worker stops the request that made it, it never settles. */
  async function networkOfNode(): Promise<string> {
    const known = chainId ?? (await client.getChainId());
    chainId = known;
    return `eip155:${known}`;
  }

  async function findAll(sales: readonly Authorization[], since: number): Promise<(AuthorizationStatus | undefined)[]> {
    const network = await networkOfNode();
    const own = sales.filter(sale => sale.network === network);
    const statuses = own.length > 0 ? await statusesOf(client, own, since) : [];
    const statusBy = new Map(own.map((sale, at) => [sale, statuses[at]]));
    return sales.map(sale => statusBy.get(sale));
  }

  /** True if an address has code. Cached for some seconds, because forged payments can repeat an address. */
  async function isContract(address: Hex): Promise<boolean> {
    const known = contracts.get(address);
    if (known && performance.now() - known.at < CODE_FRESH_MS) return known.isContract;
    const code = await client.getCode({address});
    const isContract = code !== undefined && code !== '0x';
    if (contracts.size >= MOST_CODES) contracts.clear();
    contracts.set(address, {at: performance.now(), isContract});
    return isContract;
  }

  async function isSigned(network: string, {address, hash, signature}: SignedDigest): Promise<boolean | 'no node'> {
    if (network !== (await networkOfNode())) return 'no node';
    // A wallet that is not deployed yet proves itself with a wrapped signature (ERC-6492). Otherwise only code can accept it.
    if (!signature.endsWith(ERC6492_SUFFIX) && !(await isContract(address))) return false;
    return isSignedByContract(client, {address, hash, signature});
  }

  /** Returns the node's answer, or undefined if it fails. Reports a failure once until the node answers again. */
  async function answered<T>(question: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await ask();
      isReported = false;
      return answer;
    } catch (error) {
      chainId = undefined; // it may be another node by now
      if (!isReported)
        onTrouble(`The node ${new URL(rpcUrl).host} does not report ${question}: ${errorMessage(error)}`);
      isReported = true;
      return undefined;
    }
  }

  const chain: Chain = {
    async find(sale, since) {
      const [status] = await chain.findAll([sale], since);
      return status;
    },
    async findAll(sales, since) {
      if (sales.length === 0) return [];
      const statuses = await answered('the outcome of a payment', () => findAll(sales, since));
      return statuses ?? sales.map(() => ({kind: 'no answer'}));
    },
    isSigned: (network, signed) => answered('whether a contract wallet signed', () => isSigned(network, signed)),
  };
  return chain;
}
