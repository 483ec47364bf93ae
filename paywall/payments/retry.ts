/** The reason why the gate cannot send the document now although the request is valid. */
export type RetryReason =
  /** Nothing was charged. */
  | 'unavailable'
  /** A limit is reached, of the client, of the payer or in total. Nothing was charged. */
  | 'busy'
  /** Another request is working on the same sale. */
  | 'in_flight'
  /** The money may have moved. */
  | 'unknown'
  /** The challenge of the sign-in was used before, for example because a proxy repeated the request. Nothing was charged. */
  | 'used_sign_in';

export const UNAVAILABLE = {kind: 'retry', reason: 'unavailable'} as const;
export const BUSY = {kind: 'retry', reason: 'busy'} as const;
export const IN_FLIGHT = {kind: 'retry', reason: 'in_flight'} as const;
export const UNKNOWN = {kind: 'retry', reason: 'unknown'} as const;
export const USED_SIGN_IN = {kind: 'retry', reason: 'used_sign_in'} as const;
