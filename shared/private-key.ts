import {privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';

/** Returns the account of a private key: 64 hex digits, with or without `0x`. Undefined for any other text. */
export function accountOfKey(text: string): PrivateKeyAccount | undefined {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  try {
    return digits === undefined ? undefined : privateKeyToAccount(`0x${digits}`);
  } catch {
    return undefined; // zero, or beyond the order of the curve
  }
}
