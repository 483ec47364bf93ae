import type {PrivateKeyAccount} from 'viem/accounts';
import {accountOfKey} from '../../shared/private-key.ts';
import {SiteError} from '../site/site-error.ts';

/**
 * Returns the account of a private key of 64 hex digits, with or without `0x`. Throws `SiteError` for any other text, and does not show it.
 *
 * @param name the place of the key, for messages
 */
export function accountOf(text: string, name: string): PrivateKeyAccount {
  const account = accountOfKey(text);
  if (account) return account;
  throw new SiteError('FZ504', `${name} does not contain a private key of 64 hex digits.`, {
    fix: 'Use a private key of 64 hexadecimal digits.',
  });
}
