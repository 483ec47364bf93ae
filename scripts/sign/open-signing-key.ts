import {readSecretFile} from '../../paywall/settler/key-file.ts';
import {readSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {InputError} from '../../shared/fault.ts';
import {askHidden} from '../wallet/ask-hidden.ts';

const VARIABLE = 'FROZEN_SIGNING_PASSPHRASE';
const INSTEAD = `the variable ${VARIABLE}`;

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
  const passphrase = async () => env[VARIABLE] || askHidden('Passphrase of the signing key: ', INSTEAD);
  if (signingKeyFile) {
    const text = await readSecretFile(signingKeyFile, `The signing key file ${signingKeyFile}`);
    return readSigningKey(signingKeyFile, text, passphrase);
  }
  const text = env['FROZEN_SIGNING_KEY'];
  return text ? readSigningKey({field: 'FROZEN_SIGNING_KEY'}, text, passphrase) : undefined;
}

/** Returns the passphrase for a new key, entered twice. Throws `InputError` if the two differ. */
export async function newPassphrase(env: NodeJS.ProcessEnv): Promise<string> {
  const known = env[VARIABLE];
  if (known) return known;
  const passphrase = await askHidden('Passphrase for the new key: ', INSTEAD);
  const again = await askHidden('Repeat the passphrase: ', INSTEAD);
  if (passphrase !== '' && passphrase === again) return passphrase;
  const rule = passphrase === '' ? 'is empty' : 'was not repeated correctly';
  throw new InputError({code: 'FZ906', subject: 'The passphrase', rule: `${rule}: no key was made`});
}
