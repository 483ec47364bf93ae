import {isDeepStrictEqual} from 'node:util';
import {decodePaymentRequiredHeader} from '@x402/core/http';
import {PaymentRequiredV2Schema, z} from '@x402/core/schemas';
import type {Network, PaymentRequirements} from '@x402/core/types';
import {ExactEvmScheme} from '@x402/evm/exact/server';
import {PAYMENT_IDENTIFIER} from '@x402/extensions/payment-identifier';
import {SIGN_IN_WITH_X} from '@x402/extensions/sign-in-with-x';
import {isAddress} from 'viem';
import {InputError, refuse} from '../../shared/fault.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {type Answer, unexpected} from './ask.ts';
import type {SignedStatement} from '../verify/receipt-payload.ts';
import {NETWORKS} from './networks.ts';
import {signedOfferIn} from './confirmation.ts';
import {mediaTypeOf, type Sold} from './sold.ts';

/** The terms on which the gate and the catalogue agree. */
export interface Terms {
  readonly requirements: PaymentRequirements;
  /** Milliseconds by which the site's clock is ahead of this one. */
  readonly ahead: number;
  /** The challenge with which a wallet that paid can sign in and download the document again. */
  readonly signIn: z.infer<typeof signInSchema>['info'] | undefined;
  /** The same terms, signed with the key of the site. */
  readonly signed: SignedStatement | undefined;
}

/** The extension `sign-in-with-x`. Other members of the challenge are not signed. */
const words = z.string().max(500);
const signInSchema = z.object({
  info: z.object({
    ...{domain: words, uri: words.url(), version: words, statement: words},
    ...{nonce: words, issuedAt: words, expirationTime: words},
  }),
});

/** The maximum validity of an authorization in seconds. Gates of this project request five minutes. */
const MOST_SECONDS = 900;

/** The maximum length of text from a site in a message. */
const MOST_WORDS = 200;

const namedSchema = z.object({
  snapshot: z.object({info: z.object({sha256: z.string(), as_of: z.string(), later_snapshots: z.unknown()})}),
  [PAYMENT_IDENTIFIER]: z.object({}),
});

/**
 * Reads the terms in the 402 of a paid document. They are untrusted: network, payee, token, amount and digest must match the catalogue and
 * the known USDC. Throws `InputError` with all differences.
 *
 * @param wanted the network to pay on; by default the first one in the catalogue that buyers support
 */
export async function termsIn(
  answer: Answer,
  url: string,
  {entry, document}: Sold,
  catalogue: Catalogue,
  wanted: string | undefined,
): Promise<Terms> {
  if (answer.status !== 402)
    throw new InputError({code: 'FZ602', url, rule: unexpected(answer, url, '402 with its terms')});
  const {accepts, resource, extensions} = read(answer.headers, url);
  const networks = wanted === undefined ? Object.keys(NETWORKS) : [wanted];
  const payee = catalogue.payment.accepts.find(({network}) => networks.includes(network));
  if (!payee) {
    const names = networks.map(one => NETWORKS[one] ?? one).join(' or ');
    const accepted = catalogue.payment.accepts.map(one => NETWORKS[one.network] ?? one.network).join(' or ');
    const fix = accepted === '' ? undefined : `The site accepts payments on ${accepted.slice(0, MOST_WORDS)}.`;
    throw new InputError({code: 'FZ608', url, rule: `is not sold on ${names}. Nothing was paid`, fix});
  }
  const {network, pay_to: payTo} = payee;
  // The address is shown to people, so it must not contain other text.
  if (!isAddress(payTo, {strict: false}))
    throw new InputError({code: 'FZ608', url, field: 'pay_to', value: payTo, rule: 'is not an address'});
  const requirements = accepts.find(one => one.scheme === 'exact' && one.network === network);
  if (!requirements)
    throw new InputError({code: 'FZ608', url, rule: `is not sold on ${network}, although the catalogue lists it`});

  const {asset, amount, extra} = await new ExactEvmScheme().parsePrice(entry.price, network as Network);
  const {listed, edition} = document;
  const named = namedSchema.safeParse(extensions).data;
  const asked = {...requirements, asset: lowerCase(requirements.asset), payTo: lowerCase(requirements.payTo)};
  const next = entry.pass ? `${entry.pass.next}, as the catalogue says` : 'in the catalogue';
  const wrong = (field: string, value: unknown, wanted: unknown, rule: string) =>
    isDeepStrictEqual(value, wanted) ? [] : [{code: 'FZ608' as const, url, field, value, rule}];
  const {maxTimeoutSeconds: seconds} = requirements;
  const isValidity = Number.isInteger(seconds) && seconds > 0 && seconds <= MOST_SECONDS;
  refuse([
    ...wrong('payTo', asked.payTo, payTo.toLowerCase(), `is not ${payTo}, the payee in the catalogue`),
    ...wrong('amount', asked.amount, amount, `is not ${amount}, the price ${entry.price} of the catalogue`),
    ...wrong('asset', asked.asset, asset.toLowerCase(), `is not ${asset}, USDC on ${network}`),
    ...wrong('extra', requirements.extra, extra, `is not ${JSON.stringify(extra)}, the domain of USDC`),
    ...wrong('resource.url', resource.url, listed.url, `is not ${listed.url}`),
    ...(edition && resource.mimeType !== undefined
      ? wrong('resource.mimeType', mediaTypeOf(resource.mimeType), mediaTypeOf(edition.type), `is not ${edition.type}`)
      : []),
    ...wrong('snapshot.sha256', named?.snapshot.info.sha256, listed.sha256, 'is not the digest in the catalogue'),
    ...wrong('snapshot.as_of', named?.snapshot.info.as_of, entry.as_of, 'is not the as_of in the catalogue'),
    ...wrong('snapshot.later_snapshots', named?.snapshot.info.later_snapshots, entry.pass?.next, `is not ${next}`),
    ...wrong(
      'extensions',
      undefined,
      named ? undefined : true,
      'do not name the document, or accept no idempotency key, so a purchase could not be resumed',
    ),
    ...wrong(
      'maxTimeoutSeconds',
      seconds,
      isValidity ? seconds : undefined,
      `is not a whole number of seconds from 1 to ${MOST_SECONDS}`,
    ),
  ]);
  const signIn = signInSchema.safeParse(extensions?.[SIGN_IN_WITH_X]).data?.info;
  const agreed = {requirements: requirements as PaymentRequirements, ahead: aheadOf(answer)};
  return {...agreed, signIn, signed: await signedOfferIn(answer.bytes, {...agreed, url, entry, document}, catalogue)};
}

/** Returns an address in lower case for comparison. Invalid ones, such as `0X…`, are unchanged. */
function lowerCase(address: string): string {
  return isAddress(address, {strict: false}) ? address.toLowerCase() : address;
}

/** Returns the reason in a 402 for refusing a payment. A 402 without terms is a refusal too. */
export function reasonIn({headers}: Answer): string {
  return (requiredIn(headers).data?.error ?? 'no reason').slice(0, MOST_WORDS);
}

function requiredIn(headers: Headers) {
  return PaymentRequiredV2Schema.safeParse(decoded(headers.get('PAYMENT-REQUIRED') ?? ''));
}

function read(headers: Headers, url: string) {
  const parsed = requiredIn(headers);
  if (parsed.success) return parsed.data;
  const rule = 'does not contain terms of x402 version 2';
  throw new InputError({code: 'FZ608', url, field: 'PAYMENT-REQUIRED', rule});
}

function decoded(header: string): unknown {
  try {
    return decodePaymentRequiredHeader(header);
  } catch {
    return undefined; // not base64 of JSON: no terms
  }
}

function aheadOf({headers}: Answer): number {
  const date = Date.parse(headers.get('Date') ?? '');
  return Number.isNaN(date) ? 0 : date - Date.now();
}
