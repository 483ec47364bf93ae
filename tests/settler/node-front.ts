import {Hono} from 'hono';
import type {LocalChain} from '../../scripts/local-chain/chain.ts';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';

/** Handles a request on its way to the node. */
export type OnItsWay = (method: string, ask: () => Promise<Response>, params: readonly unknown[]) => Promise<Response>;

/** A proxy in front of the chain's node. It can fail, delay or change each request of the gate. */
export interface NodeFront extends Listening {
  onItsWay: OnItsWay;
}

export async function nodeFront(chain: LocalChain): Promise<NodeFront> {
  const app = new Hono().post('*', async c => {
    const body = await c.req.text();
    const {method, params} = JSON.parse(body) as {method: string; params: readonly unknown[]};
    const headers = {'Content-Type': 'application/json'};
    return front.onItsWay(method, () => fetch(chain.rpcUrl, {method: 'POST', body, headers}), params);
  });
  const front: NodeFront = {...(await listen(app)), onItsWay: (_, ask) => ask()};
  return front;
}
