import {InputError} from '../../shared/fault.ts';
import {askHidden} from '../wallet/ask-hidden.ts';

const VARIABLE = 'FROZEN_SIGNING_PASSPHRASE';
const INSTEAD = `the variable ${VARIABLE}`;

/** Returns the passphrase of a signing key. Throws `InputError` without a variable and a terminal. */
export async function passphraseOf(env: NodeJS.ProcessEnv): Promise<string> {
  return env[VARIABLE] || askHidden('Passphrase of the signing key: ', INSTEAD);
}

/** Returns the passphrase for a new key, entered twice. Throws `InputError` if the two differ. */
export async function newPassphrase(env: NodeJS.ProcessEnv): Promise<string> {
  const known = env[VARIABLE];
  if (known) return known;
  const passphrase = await askHidden('Passphrase for the new key: ', INSTEAD);
  const again = await askHidden('The same once more: ', INSTEAD);
  if (passphrase !== '' && passphrase === again) return passphrase;
  const rule = passphrase === '' ? 'is empty' : 'was not typed the same twice';
  throw new InputError({code: 'FZ906', subject: 'The passphrase', rule: `${rule}: no key was made`});
}
