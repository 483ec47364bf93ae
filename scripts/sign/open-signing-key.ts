import {readSecretFile} from '../../paywall/settler/key-file.ts';
import {readSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {passphraseOf} from './passphrase.ts';

/** The file of the signing key. No option accepts the key itself, because other users would see it in the list of processes. */
export interface SigningKeyOptions {
  readonly signingKeyFile?: string | undefined;
}

/**
 * Opens the signing key: from the file in the option, otherwise from the variable FROZEN_SIGNING_KEY. Undefined if neither is set. Throws
 * `InputError` or `SiteError` if it cannot be opened; messages do not contain the key.
 */
export async function openSigningKey(
  {signingKeyFile}: SigningKeyOptions,
  env: NodeJS.ProcessEnv,
): Promise<SigningKey | undefined> {
  const passphrase = () => passphraseOf(env);
  if (signingKeyFile) {
    const text = await readSecretFile(signingKeyFile, `The signing key file ${signingKeyFile}`);
    return readSigningKey(signingKeyFile, text, passphrase);
  }
  const text = env['FROZEN_SIGNING_KEY'];
  return text ? readSigningKey('FROZEN_SIGNING_KEY', text, passphrase) : undefined;
}
