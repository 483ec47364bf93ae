import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import type {Ask} from './ask.ts';
import {FacilitatorAnswers} from './facilitator-answers.ts';
import type {Answer, SettleAnswer, VerifyAnswer} from './facilitator-answers.ts';
import {noCredentials, type Credentials} from './credentials.ts';
import {wordsOf} from './words.ts';
import {ClockWatch} from './clock.ts';
import {VerifyRoom} from './verify-room.ts';
import type {Facilitator, OnTrouble, Settlement, Verdict} from './facilitator.ts';

const VERIFY_TIMEOUT_MS = 4_000;
/** Longer than any buyer waits: a settlement that ends late is still a settlement. */
const SETTLE_TIMEOUT_MS = 60_000;

export interface HttpFacilitatorOptions {
  readonly onTrouble?: OnTrouble | undefined;
  readonly credentials?: Credentials;
  /** Our clock, in milliseconds since 1970. */
  readonly now?: () => number;
  readonly ask?: Ask;
}

/** A facilitator over HTTP that never throws and whose words never reach a buyer, only x402's own reason codes. */
export class HttpFacilitator implements Facilitator {
  readonly #answers: FacilitatorAnswers;
  readonly host: string;
  readonly #onTrouble: OnTrouble;
  readonly #clock: ClockWatch;
  readonly #room = new VerifyRoom();
  readonly #remedy: string;
  #trouble: string | undefined;

  constructor(url: string, options: HttpFacilitatorOptions = {}) {
    const {onTrouble = () => undefined, credentials = noCredentials(url), now = Date.now, ask} = options;
    [this.host, this.#onTrouble, this.#remedy] = [new URL(url).host, onTrouble, credentials.remedy];
    this.#clock = new ClockWatch(`the facilitator ${this.host}`, onTrouble, now);
    this.#answers = new FacilitatorAnswers(url, this.#clock.hear, credentials, ask);
  }

  /**
   * Whether our clock is so wrong, by that of the facilitator, that a payment which looks untimely may be good. Asks it at
   * most once in 30 seconds; our clock is right where the facilitator does not say.
   */
  clockIsOff(): Promise<boolean> {
    // A sale tells of the trouble.
    return this.#clock.isOff(() => this.#answers.supported(VERIFY_TIMEOUT_MS).catch(() => undefined));
  }

  /** Answers `unavailable` at once where as many payments as it has room for are being verified already. */
  async verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict> {
    const verdict = await this.#room.run(payload, () => this.#verify(payload, requirements));
    return verdict ?? {kind: 'unavailable'};
  }

  async #verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict> {
    try {
      const answer = await this.#answers.verify(payload, requirements, VERIFY_TIMEOUT_MS);
      return this.#well(verdictOf(this.#wordsIn(answer), isSuccess(answer.status)));
    } catch (error) {
      this.#tell('verified', error);
      return {kind: 'unavailable'};
    }
  }

  async settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    let transaction = '';
    try {
      const answer = await this.#answers.settle(payload, requirements, SETTLE_TIMEOUT_MS);
      transaction = answer.words?.transaction ?? '';
      return this.#well(settlementOf(this.#wordsIn(answer), isSuccess(answer.status), requirements));
    } catch (error) {
      this.#tell('settled', error);
      if (isTransaction(transaction)) return {kind: 'unknown', sent: [transaction.toLowerCase()]};
      return {kind: error instanceof KeyRefused || neverConnected(error) ? 'unavailable' : 'unknown'};
    }
  }

  /** The words of an answer that says something of the payment; throws for every other one. */
  #wordsIn<T>({status, words, text}: Answer<T>): T {
    if (status === 401 || status === 403) throw new KeyRefused(`it answers ${status}: ${this.#remedy}`);
    if (words && (isSuccess(status) || saysOfPayment(status))) return words;
    const excerpt = text || 'nothing';
    throw new Error(
      words ? `it answers ${status}: ${excerpt}` : `it answers ${status} and not what x402 asks for: ${excerpt}`,
    );
  }

  #well<T>(answer: T): T {
    this.#trouble = undefined;
    return answer;
  }

  /** The same trouble is told once, until an answer comes: many payments may be waiting. */
  #tell(what: 'verified' | 'settled', error: unknown): void {
    const trouble = `The facilitator ${this.host} has not ${what} a payment: ${wordsOf(error)}`;
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#onTrouble(trouble);
  }
}

/** Reasons of a settlement that broke off on its way, where a node of the facilitator may have taken the transaction. */
const BROKEN_OFF = /pending|unexpected|timed?_?out|node_failure|transaction_failed|failed_to_(execute|get_receipt)/;

/** The facilitator refuses our key: it did nothing with the payment. */
class KeyRefused extends Error {}

function verdictOf({isValid, invalidReason}: VerifyAnswer, isGood: boolean): Verdict {
  return isValid && isGood ? {kind: 'valid'} : {kind: 'invalid', reason: codeOf(invalidReason)};
}

function settlementOf(answer: SettleAnswer, isGood: boolean, {network}: PaymentRequirements): Settlement {
  const {success, transaction, payer, amount, errorReason} = answer;
  if (!success || !isGood) return failureOf(errorReason, transaction);
  if (answer.network !== network || !isTransaction(transaction)) return {kind: 'unknown'};
  return {
    kind: 'settled',
    receipt: {
      success,
      transaction,
      network,
      ...(payer && /^0x[0-9a-f]{40}$/i.test(payer) && {payer}),
      ...(amount && /^\d{1,78}$/.test(amount) && {amount}),
    },
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether a status of failure says something of the payment, and not of the facilitator. */
function saysOfPayment(status: number): boolean {
  return status < 500 && ![408, 429].includes(status);
}

/** Whether this names a transaction on a chain: without one, nothing shows that money has moved. */
function isTransaction(hash: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(hash);
}

/** A transaction that was sent, or may have been, is no refusal: it can still be mined. */
function failureOf(errorReason: string | undefined, transaction: string): Settlement {
  const reason = codeOf(errorReason);
  if (isTransaction(transaction)) return {kind: 'unknown', sent: [transaction.toLowerCase()]};
  return transaction !== '' || BROKEN_OFF.test(reason) ? {kind: 'unknown', sent: []} : {kind: 'refused', reason};
}

/** A reason code, or `payment_rejected` in place of prose, which may name the facilitator's innards. */
export function codeOf(reason: string | undefined): string {
  return reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'payment_rejected';
}

/** Whether the request cannot have left this machine. */
function neverConnected(error: unknown): boolean {
  const fault = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = fault instanceof Error && 'code' in fault ? fault.code : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
}
