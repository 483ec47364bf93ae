import {Hono} from 'hono';
import {toHex} from 'viem';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';

/** A node that answers but gets no new blocks while it is stuck, like a node without peers. */
export interface StuckNode extends Listening {
  /** The number of its latest block. Undefined while it follows the chain. */
  stuckAt: bigint | undefined;
}

export async function startStuckNode({rpcUrl}: LocalChain): Promise<StuckNode> {
  const listening = await listen(
    new Hono().post('*', async c => {
      const {id, method, params, ...more} = await c.req.json<{id: number; method: string; params?: unknown[]}>();
      const latest = node.stuckAt === undefined ? undefined : toHex(node.stuckAt);
      if (latest && method === 'eth_blockNumber') return c.json({jsonrpc: '2.0', id, result: latest});
      const asked = JSON.stringify({...more, id, method, params});
      const body = latest ? asked.replaceAll('"latest"', JSON.stringify(latest)) : asked;
      return fetch(rpcUrl, {method: 'POST', body, headers: {'Content-Type': 'application/json'}});
    }),
  );
  const node: StuckNode = Object.assign(listening, {stuckAt: undefined});
  return node;
}
