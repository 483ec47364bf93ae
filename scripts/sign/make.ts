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
import {readKeyed, signingOf} from './sign-site.ts';

export interface KeyOptions {
  readonly root?: string | undefined;
  readonly output: string;
  /** Encrypts the key. */
  readonly passphrase?: boolean | undefined;
  /** Writes the public half into `data/site.json`. */
  readonly write?: boolean | undefined;
}

/** A created key. */
export interface Made {
  readonly file: string;
  /** The keys that `data/site.json` has now, or should have. */
  readonly signing: Signing;
  readonly written: boolean;
  /** True if git would commit the file. */
  readonly committed: boolean;
}

/** Creates the first key of a site. Throws `InputError` if the site has one, or if the file exists. */
export async function makeFirst(wishes: KeyOptions, env: NodeJS.ProcessEnv): Promise<Made> {
  const root = wishes.write ? siteRoot(wishes.root) : undefined;
  const site = root === undefined ? undefined : await readKeyed(root);
  if (site?.signing) {
    const fix = 'Run `frozen sign next-key` to make the next key.';
    throw new InputError({code: 'FZ208', file: SITE_FILE, field: 'signing', rule: 'exists already', fix});
  }
  const key = await newSigningKey();
  const signing = {kid: key.kid, x: key.x, since: today()};
  return keep(key, signing, wishes, env, async () => {
    if (root !== undefined && site) await writeMember(root, site.text, 'signing', signing);
  });
}

/**
 * Creates the next key of a site, signed by the current one unless that is lost. Throws `InputError` if the given key is not the site's.
 */
export async function makeNext(
  {lost = false, ...wishes}: KeyOptions & SigningKeyOptions & {readonly lost?: boolean | undefined},
  env: NodeJS.ProcessEnv,
): Promise<Made> {
  const root = siteRoot(wishes.root);
  const site = await readKeyed(root);
  const before = lost ? undefined : await openSigningKey(wishes, env);
  if (!before && !lost) {
    const fix =
      'Name the file of the current key with `--signing-key-file`, or use `--lost` if you do not have it any more.';
    throw new InputError({code: 'FZ208', subject: 'The signing key', rule: 'is missing', fix});
  }
  const {former = [], ...current} = signingOf(site, before);
  const key = await newSigningKey();
  const signed = before && {signed_next: await signNext(before, key)};
  const date = today();
  const ended = {...current, until: date, ...signed};
  const signing = {kid: key.kid, x: key.x, since: date, former: [...former, ended]};
  return keep(key, signing, wishes, env, async () => {
    if (wishes.write) await writeMember(root, site.text, 'signing', signing);
  });
}

/** Writes the key file first, so that the site never names a key that was not saved. Removes it if the site cannot be written. */
async function keep(
  key: SigningKey,
  signing: Signing,
  {output, passphrase = false, write = false}: KeyOptions,
  env: NodeJS.ProcessEnv,
  publish: () => Promise<void>,
): Promise<Made> {
  const file = placeFor(resolve(output));
  await writeKey(file, await keyText(key, passphrase ? await newPassphrase(env) : undefined));
  try {
    await publish();
  } catch (error) {
    await rm(file, {force: true});
    throw error;
  }
  return {file, signing, written: write, committed: await isCommitted(file)};
}
