import {z} from '@x402/core/schemas';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {boundedFetch, type Bounds} from '../../../shared/bounded-fetch.ts';
import {errorMessage} from '../../../shared/error-message.ts';
import {parsedJson} from '../../../shared/parsed-json.ts';
import type {Credentials} from './credentials.ts';

/** The largest answer about a payment: extensions fit into it. */
const MOST_BYTES = 64 * 1024;
/** The largest list of supported networks, schemes and signers. */
const MOST_SUPPORTED_BYTES = 256 * 1024;

const optionalText = z
  .string()
  .nullish()
  .transform(text => text ?? undefined);
const verifyAnswer = z.object({isValid: z.boolean(), invalidReason: optionalText});
const settleAnswer = z.object({
  success: z.boolean(),
  errorReason: optionalText,
  payer: optionalText,
  transaction: z.string(),
  network: z.string(),
  amount: optionalText,
});

const supportedAnswer = z.object({
  kinds: z.array(z.object({x402Version: z.number(), scheme: z.string(), network: z.string()})),
});

export type VerifyAnswer = z.infer<typeof verifyAnswer>;
export type SettleAnswer = z.infer<typeof settleAnswer>;
export type SupportedAnswer = z.infer<typeof supportedAnswer>;

/** An answer of a facilitator. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, or undefined if it does not have the shape that x402 requires. */
  readonly body: T | undefined;
  /** The body as text, without our key. */
  readonly text: string;
}

/**
 * Sends requests to a facilitator over HTTP (x402 version 2, "Facilitator interface"). Rejects if no complete answer arrives in time, or the
 * answer is too large. `HTTPFacilitatorClient` of `@x402/core` reads answers of any size and accepts no other `fetch`.
 */
export class FacilitatorClient {
  readonly #url: string;
  readonly #credentials: Credentials;

  constructor(url: string, credentials: Credentials) {
    [this.#url, this.#credentials] = [url.replace(/\/+$/, ''), credentials];
  }

  /** @param timeoutMs for the whole answer */
  supported(timeoutMs: number): Promise<Answer<SupportedAnswer>> {
    const init = {method: 'GET', headers: {'Cache-Control': 'no-cache'}} as const;
    return this.#request('supported', init, {maxBytes: MOST_SUPPORTED_BYTES, timeoutMs}, supportedAnswer);
  }

  /** @param timeoutMs for the whole answer */
  verify(payload: PaymentPayload, requirements: PaymentRequirements, timeoutMs: number): Promise<Answer<VerifyAnswer>> {
    return this.#pay('verify', payload, requirements, timeoutMs, verifyAnswer);
  }

  /** @param timeoutMs for the whole answer */
  settle(payload: PaymentPayload, requirements: PaymentRequirements, timeoutMs: number): Promise<Answer<SettleAnswer>> {
    return this.#pay('settle', payload, requirements, timeoutMs, settleAnswer);
  }

  #pay<T>(
    operation: 'verify' | 'settle',
    paymentPayload: PaymentPayload,
    paymentRequirements: PaymentRequirements,
    timeoutMs: number,
    schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  ): Promise<Answer<T>> {
    const {x402Version} = paymentPayload;
    const body = JSON.stringify({x402Version, paymentPayload, paymentRequirements});
    const init = {method: 'POST', headers: {'Content-Type': 'application/json'}, body} as const;
    return this.#request(operation, init, {maxBytes: MOST_BYTES, timeoutMs}, schema);
  }

  async #request<T>(
    operation: string,
    init: RequestInit & {readonly method: 'GET' | 'POST'},
    bounds: Bounds,
    schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  ): Promise<Answer<T>> {
    const url = `${this.#url}/${operation}`;
    const authorization = await this.#credentials.authorization(init.method, url);
    const headers = new Headers(init.headers);
    if (authorization !== undefined) headers.set('Authorization', authorization);
    // Our key must not go to another host that the facilitator redirects to.
    const ask = authorization === undefined ? fetchRedirected : fetch;
    const response = await boundedFetch(bounds, ask)(url, {...init, headers, redirect: 'manual'});
    const text = withoutKey(await response.text(), authorization);
    return {status: response.status, headers: response.headers, body: schema.safeParse(parsedJson(text)).data, text};
  }
}

/** Repeats a request at the address that the answer redirects to, with the same method. */
async function fetchRedirected(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const answer = await fetch(input, init);
  const location = answer.headers.get('Location');
  // With another status, fetch would turn POST into GET, as if the first address had received the payment.
  const isRedirect =
    [307, 308].includes(answer.status) || (init?.method === 'GET' && [301, 302, 303].includes(answer.status));
  if (!isRedirect || location === null) return answer;
  await answer.body?.cancel();
  try {
    return await fetch(new URL(location, answer.url), {...init, redirect: 'follow'});
  } catch (cause) {
    // If the next address cannot be reached, that does not show that the request did not leave this machine.
    throw new Error(`it redirects to ${location}: ${errorMessage(cause)}`, {cause});
  }
}

/** An answer that repeats the request must not be shown with our key in it. */
function withoutKey(text: string, authorization: string | undefined): string {
  return authorization === undefined ? text : text.replaceAll(authorization.replace('Bearer ', ''), '…');
}
