import {setTimeout as delay} from 'node:timers/promises';
import {createWalletClient, http, publicActions, type Hash, type PrivateKeyAccount} from 'viem';
import {validateTransactionProof, type TransactionProof} from '../../build/read/proofs.ts';
import {wordsOfNode} from '../../paywall/settler/node.ts';
import {boundedFetch} from '../../shared/bounded-fetch.ts';
import {InputError} from '../../shared/fault.ts';
import {shownAddress} from '../../shared/shown-address.ts';

const BOUNDS = {maxBytes: 2 * 1024 * 1024, timeoutMs: 15_000};
const ASK_EVERY_MS = 250;
const PATIENCE_MS = 180_000;

/** A chain that holds digests. */
export interface Chain {
  /** In CAIP-2, e.g. `eip155:8453`. */
  readonly network: string;
  /** Sends a digest in the data of a transaction to the sender, and gives its place once it is in a block. Throws `InputError`. */
  hold(digest: string): Promise<TransactionProof>;
}

/** The chain of a node, and an account that pays the gas. Throws `InputError` where the node does not answer. */
export async function chainBy(rpc: string, account: PrivateKeyAccount): Promise<Chain> {
  const file = shownAddress(rpc, 'origin');
  const answered = async <T>(ask: Promise<T>): Promise<T> =>
    ask.catch((cause: unknown) => {
      if (cause instanceof InputError) throw cause;
      throw new InputError({file, rule: `refuses: ${wordsOfNode(cause)}`}, {cause});
    });
  const transport = http(rpc, {retryCount: 0, timeout: BOUNDS.timeoutMs, fetchFn: boundedFetch(BOUNDS)});
  const client = createWalletClient({account, transport, cacheTime: 0}).extend(publicActions);
  const network = `eip155:${await answered(client.getChainId())}`;

  async function blockOf(hash: Hash): Promise<bigint> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
      // A node that has no receipt yet says so with an error.
      const receipt = await client.getTransactionReceipt({hash}).catch(() => undefined);
      if (receipt?.status === 'success') return receipt.blockNumber;
      if (receipt) throw new InputError({file, rule: `reverted transaction ${hash}`});
      await delay(ASK_EVERY_MS);
    }
    const rule = `has transaction ${hash} in no block after ${PATIENCE_MS / 1000} s: asked again, another one is sent`;
    throw new InputError({file, rule});
  }

  return {
    network,
    async hold(digest) {
      const sent = client.sendTransaction({chain: null, to: account.address, value: 0n, data: `0x${digest}`});
      const transaction = await answered(sent);
      const proof = {network, transaction, block: Number(await answered(blockOf(transaction))), digest};
      if (!validateTransactionProof(proof)) throw new InputError({file, rule: 'gives no transaction of an EVM chain'});
      return proof;
    },
  };
}
