import {isIPv6} from 'node:net';
import type {Dispatcher} from 'undici';
import {InputError} from './fault.ts';
import {untrustedAdvice} from './untrusted.ts';

/** The largest headers of a 402 response. */
const MAX_HEADER_BYTES = 64 * 1024;
let dispatcher: Dispatcher | undefined;

/** The proxy refused the connection to the server, so the request was not sent. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code = 'EPROXY';
}

/** Returns the dispatcher for requests through the proxy of the environment. Undefined without a proxy. */
export function proxyDispatcher(): Dispatcher | undefined {
  return dispatcher;
}

/**
 * Makes `fetch` use HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in upper or lower case. Does nothing if no proxy is set. Throws `InputError` if
 * the URL of a proxy is invalid.
 */
export async function useProxy(env: NodeJS.ProcessEnv): Promise<void> {
  const [httpProxy, httpsProxy] = [proxyOf(env, 'HTTP_PROXY'), proxyOf(env, 'HTTPS_PROXY')];
  if (httpProxy === '' && httpsProxy === '') return;
  // When bundled, the package has only its default export.
  const {EnvHttpProxyAgent, Pool, setGlobalDispatcher} = (await import('undici')).default;
  dispatcher = new EnvHttpProxyAgent({
    httpProxy,
    httpsProxy,
    // An IPv6 address may be without brackets, as in localhost,127.0.0.1,::1. undici would read its end as a port.
    noProxy: (env['no_proxy'] || env['NO_PROXY'] || '').replaceAll(/[^\s,]+/g, host =>
      isIPv6(host) ? new URL(`http://[${host}]`).hostname : host,
    ),
    maxHeaderSize: MAX_HEADER_BYTES,
    clientFactory(url, options) {
      const pool = new Pool(url, options);
      const connect: (asked: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> = pool.connect.bind(pool);
      const named = async (asked: Dispatcher.ConnectOptions) => {
        const {origin} = new URL(url);
        const answer = await connect(asked).catch((error: unknown) => {
          const {code, message} = error as NodeJS.ErrnoException;
          throw new ProxyError(`the proxy ${origin} cannot be used (${code ?? message})${untrustedAdvice(error)}`);
        });
        if (answer.statusCode === 200) return answer;
        answer.socket.on('error', () => undefined).destroy();
        throw new ProxyError(`the proxy ${origin} refuses the connection with status ${answer.statusCode}`);
      };
      return Object.assign(pool, {connect: named});
    },
  });
  setGlobalDispatcher(dispatcher);
}

/** The URL of a proxy; empty without a proxy. As in curl, `http://` may be left out. */
function proxyOf(env: NodeJS.ProcessEnv, field: string): string {
  const value = (env[field.toLowerCase()] || env[field] || '').trim();
  if (value === '') return '';
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  // The value may contain a password, so it is not shown.
  if (URL.canParse(address) && /^https?:\/\//i.test(address)) return address;
  throw new InputError({
    code: 'FZ501',
    field,
    rule: 'is not the address of an HTTP proxy, such as http://proxy.example:3128',
  });
}
