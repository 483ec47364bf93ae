import {HttpRequestError, RpcRequestError} from 'viem';

/** A JSON-RPC request in viem's format, without bigint in its parameters. */
export interface RpcRequest {
  readonly method: string;
  readonly params?: unknown;
}

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: {readonly code: number; readonly message: string};
}

/**
 * Returns a function that sends JSON-RPC 2.0 requests to a node. Rejects with viem's errors. viem's own `http` takes three times as long,
 * because each request creates a timer, signals and an error; here `ask` limits time and size.
 * @param address may contain a user name and a password
 */
export function jsonRpc(address: string, ask: typeof fetch): (request: RpcRequest) => Promise<unknown> {
  const {url, username, password} = partsOf(address);
  const authorization = username && `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`;
  const headers = {'Content-Type': 'application/json', ...(authorization && {Authorization: authorization})};
  let id = 0;

  return async function request(body) {
    const failed = (facts: Partial<ConstructorParameters<typeof HttpRequestError>[0]>) =>
      new HttpRequestError({body: {...body}, url, ...facts});
    let response: Response;
    let text: string;
    try {
      response = await ask(url, {method: 'POST', headers, body: JSON.stringify({jsonrpc: '2.0', id: id++, ...body})});
      text = await response.text();
    } catch (cause) {
      throw failed({cause: cause as Error});
    }
    const answer = answerIn(text);
    if (typeof answer?.error?.code === 'number') throw new RpcRequestError({body: {...body}, error: answer.error, url});
    const {ok, status} = response;
    if (!ok) throw failed({status, headers: response.headers, details: text.slice(0, 300) || response.statusText});
    if (!answer || !('result' in answer)) throw failed({details: `no answer of JSON-RPC: ${text.slice(0, 300)}`});
    return answer.result;
  };
}

function partsOf(address: string): {readonly url: string; readonly username: string; readonly password: string} {
  const url = new URL(address);
  const {username, password} = url;
  [url.username, url.password] = ['', ''];
  return {url: url.href, username, password};
}

function answerIn(text: string): RpcAnswer | undefined {
  try {
    const answer = JSON.parse(text) as unknown;
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}
