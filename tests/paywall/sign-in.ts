import {createSIWxPayload, encodeSIWxHeader, SIGN_IN_WITH_X} from '@x402/extensions/sign-in-with-x';
import type {PrivateKeyAccount} from 'viem/accounts';
import type {Offer} from '../../paywall/payments/protocol/offer.ts';
import {decoded, type Challenge} from './hand-made.ts';

type Info = Parameters<typeof createSIWxPayload>[0];
type Payload = Awaited<ReturnType<typeof createSIWxPayload>>;

/** The differences of a header from a valid one. */
export interface SignInForgery {
  /** Members of the challenge, changed before it is signed. */
  readonly info?: Partial<Info>;
  /** Members of the payload, changed after it was signed. */
  readonly payload?: Partial<Payload>;
}

/** Returns the challenge that an offer would make now, with changes. */
export function challengeOf(
  {signIn}: Pick<Offer, 'signIn'>,
  changes: Readonly<Record<string, string | undefined>> = {},
): Info {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const challenge = {
    ...{nonce: '0123456789abcdef'.repeat(2), issuedAt: at(-10), expirationTime: at(300)},
    ...{...signIn.info, chainId: 'eip155:84532', type: 'eip191', ...changes},
  };
  return challenge as Info;
}

/** Returns the challenge in a 402, completed as clients of the extension do. */
export function completed(terms: Challenge): Info {
  const {extensions} = terms as unknown as {
    extensions: Record<string, {info: Info; supportedChains: {chainId: string; type: 'eip191'}[]}>;
  };
  const {info, supportedChains} = extensions[SIGN_IN_WITH_X] ?? {};
  if (!info || !supportedChains?.[0]) throw new Error('no challenge to sign in');
  return {...info, ...supportedChains[0]};
}

/** Returns the header SIGN-IN-WITH-X for the challenge of a paid path, signed by an account. */
export async function signedIn(
  url: string,
  account: PrivateKeyAccount,
  {info, payload}: SignInForgery = {},
): Promise<string> {
  const challenge = {...completed(decoded(await fetch(url), 'PAYMENT-REQUIRED')), ...info};
  const signed = await createSIWxPayload(challenge, account, challenge.uri);
  return encodeSIWxHeader({...signed, ...payload});
}
