import type {PaymentPayload, PaymentRequirements} from '@x402/core/types';
import {FacilitatorClient, type Answer, type SettleAnswer, type VerifyAnswer} from './facilitator-client.ts';
import {noCredentials, type Credentials} from './credentials.ts';
import {errorMessage} from '../../../shared/error-message.ts';
import type {Facilitator, OnTrouble, Settlement, Verdict} from './facilitator.ts';

const VERIFY_TIMEOUT_MS = 4_000;
/** Longer than buyers wait: the result of a slow settlement is recorded too. */
const SETTLE_TIMEOUT_MS = 60_000;

type Operation = 'verify' | 'settle';

export interface HttpFacilitatorOptions {
  readonly onTrouble?: OnTrouble | undefined;
  readonly credentials?: Credentials;
}

/** A facilitator over HTTP. Only reason codes of x402 reach a buyer, never other text of the facilitator. */
export class HttpFacilitator implements Facilitator {
  readonly #client: FacilitatorClient;
  readonly host: string;
  readonly #onTrouble: OnTrouble;
  readonly #remedy: string;
  /** What was last reported about each operation, until the operation succeeds. */
  readonly #reported = new Map<Operation, string>();

  constructor(url: string, options: HttpFacilitatorOptions = {}) {
    const {onTrouble = () => undefined, credentials = noCredentials(url)} = options;
    [this.host, this.#onTrouble, this.#remedy] = [new URL(url).host, onTrouble, credentials.remedy];
    this.#client = new FacilitatorClient(url, credentials);
  }

  async verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict> {
    try {
      const answer = await this.#client.verify(payload, requirements, VERIFY_TIMEOUT_MS);
      const verdict = verdictOf(this.#bodyOf(answer), isSuccess(answer.status));
      this.#reported.delete('verify');
      return verdict;
    } catch (error) {
      this.#report('verify', error);
      return {kind: 'unavailable'};
    }
  }

  async settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    try {
      const answer = await this.#client.settle(payload, requirements, SETTLE_TIMEOUT_MS);
      const settlement = settlementOf(this.#bodyOf(answer), isSuccess(answer.status), requirements);
      this.#reported.delete('settle');
      return settlement;
    } catch (error) {
      this.#report('settle', error);
      return {kind: error instanceof KeyRefused || neverConnected(error) ? 'unavailable' : 'unknown'};
    }
  }

  /** Returns the parsed answer. Throws if it is not about the payment. */
  #bodyOf<T>({status, body, text}: Answer<T>): T {
    if (status === 401 || status === 403) throw new KeyRefused(`it answers ${status}: ${this.#remedy}`);
    if (body && (isSuccess(status) || isAboutPayment(status))) return body;
    throw new Error(body ? `it answers ${status}` : `it answers ${status} and no x402 answer`, {
      cause: new Error(text || 'an empty body'),
    });
  }

  /** Reports the same trouble once. Bodies and the details of an error are not compared, because they may name the request. */
  #report(operation: Operation, error: unknown): void {
    const {message, cause} = error as Error & {readonly cause?: {readonly code?: unknown}};
    const trouble = [message, cause?.code].join(' ');
    if (this.#reported.get(operation) === trouble) return;
    this.#reported.set(operation, trouble);
    this.#onTrouble(`The facilitator ${this.host} did not ${operation} a payment: ${errorMessage(error)}`);
  }
}

/**
 * The reasons that a facilitator can have only before it broadcasts a transaction. With any other reason the money may have moved or may
 * still move: a facilitator also finds a used nonce or a failed simulation after its own first transaction was mined.
 */
const BEFORE_BROADCAST: ReadonlySet<string> = new Set([
  'insufficient_funds',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_failed_to_parse_signature',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_value',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_payload_undeployed_smart_wallet',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_network',
  'invalid_payload',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'unsupported_scheme',
]);

/** The facilitator refuses our credentials, so it did nothing with the payment. */
class KeyRefused extends Error {}

function verdictOf({isValid, invalidReason}: VerifyAnswer, isGood: boolean): Verdict {
  return isValid && isGood ? {kind: 'valid'} : {kind: 'invalid', reason: codeOf(invalidReason)};
}

function settlementOf(answer: SettleAnswer, isGood: boolean, {network}: PaymentRequirements): Settlement {
  const {success, transaction, payer, amount, errorReason} = answer;
  if (!success || !isGood) return refusalOf(errorReason, transaction);
  if (answer.network !== network || !isTransaction(transaction)) return {kind: 'unknown'};
  return {
    kind: 'settled',
    receipt: {
      success,
      transaction: transaction.toLowerCase(),
      network,
      ...(payer && /^0x[0-9a-f]{40}$/i.test(payer) && {payer}),
      ...(amount && /^\d{1,78}$/.test(amount) && {amount}),
    },
  };
}

/** Returns `declined` if the facilitator's reason is final. It is not if the refusal names a transaction, which can still be mined. */
export function refusalOf(reason: string | undefined, transaction = ''): Settlement {
  return reason !== undefined && transaction === '' && BEFORE_BROADCAST.has(reason)
    ? {kind: 'declined', reason}
    : {kind: 'unknown'};
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** True if an error status is about the payment, and not about the facilitator's own state. */
function isAboutPayment(status: number): boolean {
  return status < 500 && ![408, 429].includes(status);
}

function isTransaction(hash: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(hash);
}

/** Returns the reason if it is a code. Otherwise `payment_rejected`, because prose may show the facilitator's internals. */
export function codeOf(reason: string | undefined): string {
  return reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'payment_rejected';
}

/** True if the request cannot have left this machine. */
function neverConnected(error: unknown): boolean {
  const fault = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = fault instanceof Error && 'code' in fault ? fault.code : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EPROXY';
}
