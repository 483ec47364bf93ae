import {z} from '@x402/core/schemas';
import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {boundedFetch} from '../../shared/bounded-fetch.ts';

/** Room for extensions, and not for whatever somebody likes to send. */
const MOST_BYTES = 64 * 1024;

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

export type VerifyAnswer = z.infer<typeof verifyAnswer>;
export type SettleAnswer = z.infer<typeof settleAnswer>;

/** An answer of a facilitator: its status, and its words where they have the shape that x402 asks for. */
export interface Answer<T> {
  readonly status: number;
  readonly words: T | undefined;
  /** As it was sent. */
  readonly text: string;
}

/**
 * Asks a facilitator over HTTP (x402 version 2, "Facilitator interface"). Rejects where no whole answer comes in time, or
 * a larger one than any facilitator has to give. `HTTPFacilitatorClient` of `@x402/core` reads answers of any size and
 * can be given no other `fetch`.
 */
export class FacilitatorAnswers {
  readonly #url: string;
  readonly #hear: (headers: Headers) => void;

  /** @param hear told the headers of every answer */
  constructor(url: string, hear: (headers: Headers) => void) {
    [this.#url, this.#hear] = [url.replace(/\/+$/, ''), hear];
  }

  /**
   * Asks what costs a facilitator the least, for the headers of the answer alone.
   *
   * @param timeoutMs for the whole answer
   */
  async supported(timeoutMs: number): Promise<void> {
    const fetch = boundedFetch({maxBytes: MOST_BYTES, timeoutMs});
    const response = await fetch(`${this.#url}/supported`, {headers: {'Cache-Control': 'no-cache'}});
    this.#hear(response.headers);
    await response.body?.cancel();
  }

  /** @param timeoutMs for the whole answer */
  verify(payload: PaymentPayload, requirements: PaymentRequirements, timeoutMs: number): Promise<Answer<VerifyAnswer>> {
    return this.#ask('verify', payload, requirements, timeoutMs, verifyAnswer);
  }

  /** @param timeoutMs for the whole answer */
  settle(payload: PaymentPayload, requirements: PaymentRequirements, timeoutMs: number): Promise<Answer<SettleAnswer>> {
    return this.#ask('settle', payload, requirements, timeoutMs, settleAnswer);
  }

  async #ask<T>(
    operation: 'verify' | 'settle',
    paymentPayload: PaymentPayload,
    paymentRequirements: PaymentRequirements,
    timeoutMs: number,
    schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  ): Promise<Answer<T>> {
    const fetch = boundedFetch({maxBytes: MOST_BYTES, timeoutMs});
    const {x402Version} = paymentPayload;
    const response = await fetch(`${this.#url}/${operation}`, {
      method: 'POST',
      headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({x402Version, paymentPayload, paymentRequirements}),
    });
    this.#hear(response.headers);
    const text = await response.text();
    return {status: response.status, words: schema.safeParse(parsed(text)).data, text};
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused like every other answer that is not one of x402
  }
}
