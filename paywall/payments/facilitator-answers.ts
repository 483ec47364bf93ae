import {z} from '@x402/core/schemas';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import type {Bounds} from '../../shared/bounded-fetch.ts';
import {askByFetch, type Ask, type Asked, type Heard} from './ask.ts';
import type {Credentials} from './credentials.ts';

/** Room for extensions, and not for whatever somebody likes to send. */
const MOST_BYTES = 64 * 1024;
/** Room for every network, scheme and signer there is. */
const MOST_SUPPORTED_BYTES = 256 * 1024;

const said = z
  .string()
  .nullish()
  .transform(text => text ?? undefined);
const verifyAnswer = z.object({isValid: z.boolean(), invalidReason: said});
const settleAnswer = z.object({
  success: z.boolean(),
  errorReason: said,
  payer: said,
  transaction: z.string(),
  network: z.string(),
  amount: said,
});

const supportedAnswer = z.object({
  kinds: z.array(z.object({x402Version: z.number(), scheme: z.string(), network: z.string()})),
});

export type VerifyAnswer = z.infer<typeof verifyAnswer>;
export type SettleAnswer = z.infer<typeof settleAnswer>;
export type SupportedAnswer = z.infer<typeof supportedAnswer>;

/** An answer of a facilitator: its status, and its words where they have the shape that x402 asks for. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Heard['headers'];
  readonly words: T | undefined;
  /** As it was sent, but for a key in it. */
  readonly text: string;
}

/**
 * Asks a facilitator over HTTP (x402 version 2, "Facilitator interface"). Rejects where no whole answer comes in time, or
 * a larger one than any facilitator has to give. `HTTPFacilitatorClient` of `@x402/core` reads answers of any size and
 * can be given no other `fetch`.
 */
export class FacilitatorAnswers {
  readonly #url: string;
  readonly #credentials: Credentials;
  readonly #send: Ask;

  constructor(url: string, credentials: Credentials, ask: Ask = askByFetch) {
    [this.#url, this.#credentials, this.#send] = [url.replace(/\/+$/, ''), credentials, ask];
  }

  /** @param timeoutMs for the whole answer */
  supported(timeoutMs: number): Promise<Answer<SupportedAnswer>> {
    const init = {method: 'GET', headers: {'Cache-Control': 'no-cache'}} as const;
    return this.#ask('supported', init, {maxBytes: MOST_SUPPORTED_BYTES, timeoutMs}, supportedAnswer);
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
    return this.#ask(operation, init, {maxBytes: MOST_BYTES, timeoutMs}, schema);
  }

  async #ask<T>(
    operation: string,
    init: Omit<Asked, 'redirect'>,
    bounds: Bounds,
    schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  ): Promise<Answer<T>> {
    const url = `${this.#url}/${operation}`;
    const authorization = await this.#credentials.authorization(init.method, url);
    const keyed = authorization === undefined ? {} : {Authorization: authorization};
    const heard = await this.#send(
      url,
      {
        ...init,
        headers: {...init.headers, ...keyed},
        // A key goes to nobody whom the facilitator names.
        redirect: authorization === undefined ? 'follow' : 'manual',
      },
      bounds,
    );
    const text = without(heard.text, authorization);
    return {status: heard.status, headers: heard.headers, words: schema.safeParse(parsed(text)).data, text};
  }
}

/** An answer that repeats what it was asked with must not be shown with the key in it. */
function without(text: string, authorization: string | undefined): string {
  return authorization === undefined ? text : text.replaceAll(authorization.replace('Bearer ', ''), '…');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused like every other answer that is not one of x402
  }
}
