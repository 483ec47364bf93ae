import type {PaymentRequired} from '@x402/core/types';
import {buildSIWxSchema, SIGN_IN_WITH_X} from '@x402/extensions/sign-in-with-x';
import {SIGN_IN_STATEMENT} from '../../../shared/payment-protocol.ts';

/** How long a challenge is valid. */
export const VALID_MS = 5 * 60_000;
/** How far the clocks of gates with one ledger may differ. Challenges are dated back by this, so that no gate sees one from the future. */
export const CLOCK_SLACK_MS = 10_000;

const {required} = buildSIWxSchema();
/** A short schema of the answer to a challenge, because the header of every 402 carries it. */
const SCHEMA = {type: 'object', required, properties: Object.fromEntries(required.map(name => [name, {}]))};

export type SignInTerms = ReturnType<typeof signInTerms>;

/** Returns the part of the extension `sign-in-with-x` that is the same in every response: the message for one document, and its networks. */
export function signInTerms(url: string, networks: readonly string[]) {
  return {
    supportedChains: networks.map(chainId => ({chainId, type: 'eip191'})),
    schema: SCHEMA,
    info: {domain: new URL(url).host, uri: url, version: '1', statement: SIGN_IN_STATEMENT} as const,
  };
}

/** Closes `info`, the extension, `extensions` and the terms. */
const CLOSE = '}}}}';

/**
 * Makes the header PAYMENT-REQUIRED, each time with a new challenge. The part that all have in common is encoded once, padded to a
 * multiple of three bytes so that base64 can be appended to it.
 */
export function headerMaker({extensions, ...required}: PaymentRequired, signIn: SignInTerms): () => string {
  const text = JSON.stringify({...required, extensions: {...extensions, [SIGN_IN_WITH_X]: signIn}});
  const head = `${text.slice(0, -CLOSE.length)},`;
  const encoded = Buffer.from(head + ' '.repeat((3 - (Buffer.byteLength(head) % 3)) % 3)).toString('base64');
  return function header() {
    const nonce = crypto.randomUUID().replaceAll('-', '');
    const now = Date.now();
    const [issuedAt, expirationTime] = [now - CLOCK_SLACK_MS, now + VALID_MS].map(at => new Date(at).toISOString());
    return encoded + btoa(`${JSON.stringify({nonce, issuedAt, expirationTime}).slice(1, -1)}${CLOSE}`);
  };
}
