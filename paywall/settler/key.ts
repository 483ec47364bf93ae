import {privateKeyToAccount, type PrivateKeyAccount} from 'viem/accounts';
import {SiteError} from '../site/site-error.ts';

/**
 * The account of a private key: 64 hex digits, with or without `0x`. Throws `SiteError` for anything else, without a
 * character of it.
 *
 * @param name of where the key stands, for people
 */
export function accountOf(text: string, name: string): PrivateKeyAccount {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  try {
    if (digits) return privateKeyToAccount(`0x${digits}`);
  } catch {
    // Zero, or past the order of the curve. The cause would show the key.
  }
  throw new SiteError(`${name} holds no private key of 64 hex digits.`);
}
