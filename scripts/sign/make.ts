import {rm} from 'node:fs/promises';
import {resolve} from 'node:path';
import {siteRoot} from '../../shared/command-line.ts';
import {InputError} from '../../shared/fault.ts';
import {signNext} from '../../shared/next-key.ts';
import {SITE_FILE} from '../../shared/paths.ts';
import type {Signing} from '../../shared/public-key.ts';
import {keyText, newSigningKey, type SigningKey} from '../../shared/signing-key.ts';
import {today} from '../../shared/today.ts';
import {writeMember} from './ownership-proof.ts';
import {isCommitted, placeFor, writeKey} from './key-file.ts';
import {newPassphrase, openSigningKey, type SigningKeyOptions} from './open-signing-key.ts';
import {readKeyed, signingOf, type Keyed} from './sign-site.ts';
import type {KeyOptions} from '../sign.ts';

/** A created key, and the keys that `data/site.json` has now, or should have. */
export type Made = Awaited<ReturnType<typeof keep>>;

/** Creates the first key of a site. Throws `InputError` if the site has one, or if the file exists. */
export async function makeFirst(options: KeyOptions, env: NodeJS.ProcessEnv): Promise<Made> {
  const site = options.write ? await readKeyed(siteRoot(options.root)) : undefined;
  if (site?.signing) {
    const fix = 'Run `frozen sign next-key` to make the next key.';
    throw new InputError({code: 'FZ208', file: SITE_FILE, field: 'signing', rule: 'already exists', fix});
  }
  const key = await newSigningKey();
  const signing = {kid: key.kid, x: key.x, since: today()};
  return keep(key, signing, options, env, site);
}

/**
 * Creates the next key of a site, signed by the current one unless that is lost. Throws `InputError` if the given key is not the site's.
 */
export async function makeNext(
  {lost = false, ...options}: KeyOptions & SigningKeyOptions & {readonly lost?: boolean | undefined},
  env: NodeJS.ProcessEnv,
): Promise<Made> {
  const site = await readKeyed(siteRoot(options.root));
  const before = lost ? undefined : await openSigningKey(options, env);
  if (!before && !lost) {
    const fix = 'Name the file of the current key with `--signing-key-file`, or use `--lost` if you no longer have it.';
    throw new InputError({code: 'FZ903', subject: 'The signing key', rule: 'is missing', fix});
  }
  const {former = [], ...current} = signingOf(site, before);
  const key = await newSigningKey();
  const signed = before && {signed_next: await signNext(before, key)};
  const date = today();
  const ended = {...current, until: date, ...signed};
  const signing = {kid: key.kid, x: key.x, since: date, former: [...former, ended]};
  return keep(key, signing, options, env, site);
}

/** Writes the key file first, so that the site never names a key that was not saved. Removes it if the site cannot be written. */
async function keep(
  key: SigningKey,
  signing: Signing,
  {output, passphrase, write}: KeyOptions,
  env: NodeJS.ProcessEnv,
  site: Keyed | undefined,
) {
  const file = placeFor(resolve(output));
  await writeKey(file, await keyText(key, passphrase ? await newPassphrase(env) : undefined));
  try {
    if (write && site) await writeMember(site.root, site.text, 'signing', signing);
  } catch (error) {
    await rm(file, {force: true});
    throw error;
  }
  // `committed` is true if git would commit the file.
  return {file, signing, written: write === true, committed: await isCommitted(file)};
}
