import {setTimeout as sleep} from 'node:timers/promises';
import {decodePaymentResponseHeader} from '@x402/core/http';
import {z} from '@x402/core/schemas';
import {MAX_BYTES} from '../verify/bounds.ts';
import {NoAnswer, type Answer, unexpected} from './ask.ts';
import {signedReceiptIn} from './confirmation.ts';
import type {Offer} from './offer.ts';
import {reasonIn} from './terms.ts';

export type Outcome =
  | ({readonly kind: 'document'; readonly answer: Answer} & ReturnType<typeof settledIn>)
  /** The site refuses it. `isUnexpected`: not with a 402, so the answer may be that of a proxy, and the gate may not know the payment. */
  | {readonly kind: 'refused'; readonly reason: string; readonly isUnexpected?: true}
  /** It may have been charged. */
  | {readonly kind: 'unknown'; readonly reason: string};

const ATTEMPTS = 6;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;

const transactionSchema = z.string().regex(/^0x[0-9a-f]{64}$/);

/** Sends a payment, and repeats it while the site asks to retry or gives no complete answer. The same payment is charged at most once. */
export async function send({site, document, url}: Offer, header: string): Promise<Outcome> {
  const request = {headers: {'PAYMENT-SIGNATURE': header}, maxBytes: MAX_BYTES};
  let pause = SHORTEST_PAUSE_MS;
  let reason = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await site.ask(document.path, request).catch((error: unknown) => {
      if (error instanceof NoAnswer) return error;
      throw error;
    });
    if (answer instanceof NoAnswer) {
      reason = answer.faults[0]?.rule ?? '';
    } else if (answer.status === 200) {
      return {kind: 'document', answer, ...settledIn(answer)};
    } else if (answer.status === 402) {
      return {kind: 'refused', reason: reasonIn(answer)};
    } else {
      reason = unexpected(answer, url);
      const seconds = retryAfterOf(answer.headers);
      if (answer.status < 500 && Number.isNaN(seconds)) return {kind: 'refused', reason, isUnexpected: true};
      if (seconds > 0) pause = Math.min(seconds * 1000, LONGEST_PAUSE_MS);
    }
    if (attempt < ATTEMPTS) await sleep(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
  return {kind: 'unknown', reason};
}

/** Returns the transaction and the signed receipt in the header PAYMENT-RESPONSE, if the site names them. */
export function settledIn({headers}: Answer) {
  try {
    const {transaction, extensions} = decodePaymentResponseHeader(headers.get('PAYMENT-RESPONSE') ?? '');
    return {transaction: transactionSchema.safeParse(transaction).data, receipt: signedReceiptIn(extensions)};
  } catch {
    return {transaction: undefined, receipt: undefined}; // not base64 of a JSON object
  }
}

/** Returns the seconds in the header Retry-After, which contains a number or a date (RFC 9110, 10.2.3), or NaN. */
export function retryAfterOf(headers: Headers): number {
  const text = headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  // A date is compared with the clock of the server.
  const now = Date.parse(headers.get('Date') ?? '') || Date.now();
  return (Date.parse(text) - now) / 1000;
}
