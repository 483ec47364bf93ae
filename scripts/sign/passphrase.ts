import {InputError} from '../../shared/fault.ts';
import {askHidden} from '../wallet/ask-hidden.ts';

const VARIABLE = 'FROZEN_SIGNING_PASSPHRASE';
const INSTEAD = `the variable ${VARIABLE}`;

/** The passphrase of a signing key. Throws `InputError` where there is neither a variable nor a terminal. */
export async function passphraseOf(env: NodeJS.ProcessEnv): Promise<string> {
  return env[VARIABLE] || askHidden('Passphrase of the signing key: ', INSTEAD);
}

/** A passphrase for a new key, asked twice. Throws `InputError` where both are not the same. */
export async function newPassphrase(env: NodeJS.ProcessEnv): Promise<string> {
  const known = env[VARIABLE];
  if (known) return known;
  const passphrase = await askHidden('Passphrase for the new key: ', INSTEAD);
  const again = await askHidden('The same once more: ', INSTEAD);
  if (passphrase !== '' && passphrase === again) return passphrase;
  const rule = passphrase === '' ? 'is empty' : 'was not typed the same twice';
  throw new InputError({file: 'passphrase', rule: `${rule}: no key was made`});
}
