import {readSecretFile} from '../../paywall/settler/key-file.ts';
import {InputError} from '../../shared/fault.ts';

/** Reads the token of clients from a file that only its owner can read. Throws if it is too short; the message does not contain it. */
export async function readToken(file: string): Promise<string> {
  const token = (await readSecretFile(file, `The token file ${file}`)).trim();
  if (/^[A-Za-z0-9._~+/-]{32,}=*$/.test(token)) return token;
  throw new InputError({
    code: 'FZ508',
    file,
    rule: 'does not contain a token of 32 letters and digits or more',
    fix: 'Create one with `openssl rand -hex 32`.',
  });
}
