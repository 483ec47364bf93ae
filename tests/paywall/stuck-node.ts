import {Hono} from 'hono';
import {toHex} from 'viem';
import type {Chain} from '../../scripts/local-chain/chain.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';

/** A node that answers and takes no new block while it is stuck, as one whose peers are gone. */
export interface StuckNode extends Listening {
  /** The number of its latest block; nothing while it follows the chain. */
  stuckAt: bigint | undefined;
}

export async function startStuckNode({rpcUrl}: Chain): Promise<StuckNode> {
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
