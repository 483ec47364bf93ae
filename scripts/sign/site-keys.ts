import {readJsonText, validated} from '../../build/read/json-file.ts';
import {faultsOfSigning, signedSite, type SignedSite} from '../../build/read/site.ts';
import {compile} from '../../build/read/validator.ts';
import {InputError, refuse} from '../../shared/fault.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import type {PublicKey, Signing} from '../../shared/public-key.ts';

/** `data/site.json` as far as its keys go, with its text. */
export interface Keyed {
  readonly text: string;
  readonly base_url: string;
  readonly signing: Signing | undefined;
}

/** Reads `data/site.json`. Throws `InputError` where its keys are at fault. */
export async function readKeyed(root: string): Promise<Keyed> {
  const json = readJsonText(root, SITE_FILE);
  const {base_url, signing} = validated(json, compile<SignedSite>(signedSite));
  refuse(await faultsOfSigning({signing}));
  return {text: json.text, base_url, signing};
}

/** The keys of a site whose key must be this one. Throws `InputError` where it is another, or there is none. */
export function signingOf({signing}: Pick<Keyed, 'signing'>, key?: PublicKey): Signing {
  if (!signing) {
    const rule = 'is missing: `frozen sign new-key --write` makes a key and puts it there';
    throw new InputError({file: SITE_FILE, field: 'signing', rule});
  }
  if (!key || (signing.kid === key.kid && signing.x === key.x)) return signing;
  const rule = `is not the key that was given, ${key.kid}`;
  throw new InputError({file: SITE_FILE, field: 'signing.kid', value: signing.kid, rule});
}
