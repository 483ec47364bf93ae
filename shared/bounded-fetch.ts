/** The limits of a response. */
export interface Bounds {
  /** Bytes of the body, unpacked. A small compressed response can contain gigabytes. */
  readonly maxBytes: number;
  /** From the request to the last byte of the body, in milliseconds. */
  readonly timeoutMs: number;
}

/** The body of a response exceeds the limit of bytes. */
export class TooLarge extends TypeError {}

/**
 * Returns a `fetch` for responses of untrusted servers, on Node and Workers. The body is a stream, so a large limit needs no memory by
 * itself. If a response exceeds a limit, the connection is closed, and the promise of the response or of its body (`text()`, `json()`, a
 * reader) rejects with a `TypeError`, without a cause and with one sentence as its message. The caller's signal works as in `fetch`. A body
 * that is not read is dropped after the time limit, so cancel it if it is not needed.
 * @param ask makes the request, instead of the global `fetch`
 */
export function boundedFetch(bounds: Bounds, ask: typeof fetch = (...asked) => fetch(...asked)): typeof fetch {
  return async function boundedFetch(input, init) {
    const limit = new AbortController();
    const signal = eitherOf(limit.signal, signalOf(input, init));
    const timer = setTimeout(() => {
      limit.abort(new TypeError(`there was no whole answer within ${bounds.timeoutMs / 1000} s`));
    }, bounds.timeoutMs);
    const over = (fault?: unknown) => {
      clearTimeout(timer);
      signal.onabort = null; // Node keeps a signal with a listener in memory.
      if (fault) limit.abort(fault);
    };
    try {
      const response = await ask(input, {...init, signal});
      if (response.body) return withBody(response, bounded(response.body, bounds.maxBytes, signal, over));
      over();
      return response;
    } catch (error) {
      over(error);
      throw error;
    }
  };
}

function signalOf(input: string | URL | Request, init: RequestInit | undefined): AbortSignal | null | undefined {
  return init?.signal === undefined && input instanceof Request ? input.signal : init?.signal;
}

function eitherOf(limit: AbortSignal, signal: AbortSignal | null | undefined): AbortSignal {
  return signal ? AbortSignal.any([limit, signal]) : limit;
}

/** @param over called once at the end, with the error if there is one */
function bounded(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
  signal: AbortSignal,
  over: (fault?: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        // On Node 20, a body whose gzip data is invalid never ends, not even after an abort.
        signal.onabort = () => {
          over();
          controller.error(signal.reason);
        };
      },
      async pull(controller) {
        const {done, value} = await reader.read().catch((error: unknown) => {
          over(error);
          throw error;
        });
        bytes += value?.length ?? 0;
        if (bytes > maxBytes) {
          const fault = new TooLarge(`the answer is larger than ${maxBytes} bytes`);
          over(fault);
          throw fault;
        }
        if (!done) {
          controller.enqueue(value);
          return;
        }
        over();
        controller.close();
      },
      cancel(reason) {
        over();
        return reader.cancel(reason);
      },
    },
    // Reads only when the consumer asks for more.
    {highWaterMark: 0},
  );
}

/** The same response with another body. */
function withBody(response: Response, body: ReadableStream<Uint8Array<ArrayBuffer>>): Response {
  const {status, statusText, headers, url, redirected} = response;
  if (status > 599) throw new TypeError(`the answer has the status ${status}, which HTTP does not know`);
  const same = new Response(body, {status, statusText, headers});
  return Object.defineProperties(same, {url: {value: url}, redirected: {value: redirected}});
}
