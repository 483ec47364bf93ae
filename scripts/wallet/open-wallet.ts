import type {PrivateKeyAccount} from 'viem/accounts';
import {accountOf} from '../../paywall/settler/key.ts';
import {readKeyFile, readSecretFile} from '../../paywall/settler/key-file.ts';
import {wrongUsage} from '../../shared/fault.ts';
import {readBounded} from '../../buyer/verify/bounded-file.ts';
import {askHidden} from './ask-hidden.ts';
import {decrypted} from './keystore.ts';

/** Where the key of a wallet is. No option accepts the key itself, because other users would see it in the list of processes. */
export interface WalletOptions {
  readonly keyFile?: string | undefined;
  readonly keystore?: string | undefined;
  readonly passphraseFile?: string | undefined;
}

const MOST_BYTES = 64 * 1024;

/**
 * Opens the wallet in the options, otherwise the key in a variable, such as FROZEN_BUYER_KEY. Throws `InputError` or `SiteError`
 * without a wallet or if it cannot be opened; messages do not contain secrets.
 *
 * @param whose the part of the variable names after `FROZEN_`
 */
export async function openWallet(
  options: WalletOptions,
  env: NodeJS.ProcessEnv,
  whose: 'BUYER' | 'PAYEE' | 'WITNESS' = 'BUYER',
): Promise<PrivateKeyAccount> {
  const {keyFile, keystore} = options;
  if (keyFile !== undefined) return readKeyFile(keyFile, 'The key file');
  if (keystore !== undefined) {
    const bytes = await readBounded(keystore, MOST_BYTES);
    return accountOf(await decrypted(keystore, bytes, await passphraseFor(options, env, whose)), keystore);
  }
  requireWallet(options, env, whose);
  const name = `FROZEN_${whose}_KEY`;
  return accountOf(env[name] ?? '', name);
}

/** Throws `InputError` if neither an option nor a variable has a key. */
export function requireWallet(
  {keyFile, keystore}: WalletOptions,
  env: NodeJS.ProcessEnv,
  whose: 'BUYER' | 'PAYEE' | 'WITNESS' = 'BUYER',
): void {
  const name = `FROZEN_${whose}_KEY`;
  if (keyFile !== undefined || keystore !== undefined || env[name]) return;
  const fix = `Use --key-file, --keystore or the variable ${name}.`;
  throw wrongUsage({code: 'FZ504', subject: 'The wallet', rule: 'is missing', fix});
}

async function passphraseFor({passphraseFile}: WalletOptions, env: NodeJS.ProcessEnv, whose: string): Promise<string> {
  const name = `FROZEN_${whose}_PASSPHRASE`;
  if (passphraseFile !== undefined)
    return (await readSecretFile(passphraseFile, `The passphrase file ${passphraseFile}`)).replace(/\r?\n$/, '');
  return env[name] || askHidden('Passphrase of the keystore: ', `--passphrase-file or the variable ${name}`);
}
