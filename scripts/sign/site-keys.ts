import {readJsonText, validated} from '../../build/read/json-file.ts';
import {faultsOfSigning, signedSite, type SignedSite} from '../../build/read/site.ts';
import {compile} from '../../build/read/validator.ts';
import {InputError, refuse} from '../../shared/fault.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import type {PublicKey, Signing} from '../../shared/public-key.ts';

/** The keys in `data/site.json`, and its text. */
export interface Keyed {
  readonly text: string;
  readonly base_url: string;
  readonly signing: Signing | undefined;
}

/** Reads the keys in `data/site.json`. Throws `InputError` if they are invalid. */
export async function readKeyed(root: string): Promise<Keyed> {
  const json = readJsonText(root, SITE_FILE);
  const {base_url, signing} = validated(json, compile<SignedSite>(signedSite));
  refuse(await faultsOfSigning({signing}));
  return {text: json.text, base_url, signing};
}

/** Returns the keys of a site. Throws `InputError` if the site does not declare any, or if the current one is not `key`. */
export function signingOf({signing}: Pick<Keyed, 'signing'>, key?: PublicKey): Signing {
  if (!signing) {
    const fix = 'Run `frozen sign new-key --write`, which makes a key and puts it there.';
    throw new InputError({code: 'FZ208', file: SITE_FILE, field: 'signing', rule: 'is missing', fix});
  }
  if (!key || (signing.kid === key.kid && signing.x === key.x)) return signing;
  const rule = `is not the key that was given, ${key.kid}`;
  throw new InputError({code: 'FZ208', file: SITE_FILE, field: 'signing.kid', value: signing.kid, rule});
}
