import {Hono} from 'hono';
import {listen, type Listening} from '../../scripts/local-chain/listen.ts';

/** A request to a node. */
export interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: readonly [unknown, ...unknown[]];
}

/** A proxy of a node that answers some requests itself. */
export interface NodeProxy extends Listening {
  readonly asked: Question[];
}

/** @param answer returns the response to a request, or undefined to forward the request to the node */
export async function proxyOf(
  rpcUrl: string,
  answer: (question: Question, at: number) => Response | undefined | Promise<Response | undefined>,
): Promise<NodeProxy> {
  const asked: Question[] = [];
  const app = new Hono().post('*', async c => {
    const question = await c.req.json<Question>();
    asked.push(question);
    const own = await answer(question, asked.length - 1);
    return own ?? fetch(rpcUrl, {method: 'POST', headers, body: JSON.stringify(question)});
  });
  return {asked, ...(await listen(app))};
}

const headers = {'content-type': 'application/json'};

/** Returns the number of blocks that a request searches for events, or 0 for other requests. */
export function blocksOf({method, params: [filter]}: Question): number {
  if (method !== 'eth_getLogs') return 0;
  const {fromBlock, toBlock} = filter as {fromBlock: string; toBlock: string};
  return Number(toBlock) - Number(fromBlock) + 1;
}

/** Returns an error as nodes send it. */
export function refusal({id}: Question, code: number, message: string): Response {
  return Response.json({jsonrpc: '2.0', id, error: {code, message}});
}

/** Returns a response. */
export function result({id}: Question, value: unknown): Response {
  return Response.json({jsonrpc: '2.0', id, result: value});
}
