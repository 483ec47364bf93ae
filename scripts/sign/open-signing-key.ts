import {readSecretFile} from '../../paywall/settler/key-file.ts';
import {readSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {passphraseOf} from './passphrase.ts';

/** Names the file of the signing key. No option takes the key itself: other users would see it in the list of processes. */
export interface SigningKeyOptions {
  readonly signingKeyFile?: string | undefined;
}

/**
 * The key that signs: of the file that the option names, else of the variable FROZEN_SIGNING_KEY; undefined if neither is set. Throws
 * `InputError` or `SiteError`, without a character of it, where it cannot be opened.
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
