import type {PrivateKeyAccount} from 'viem/accounts';
import {accountOf} from '../../paywall/settler/key.ts';
import {readKeyFile, readSecretFile} from '../../paywall/settler/key-file.ts';
import {wrongUsage, InputError} from '../../shared/fault.ts';
import {readBounded} from '../../buyer/verify/bounded-file.ts';
import {askHidden} from './ask-hidden.ts';
import {scrypt, type ScryptOptions} from 'node:crypto';
import {promisify} from 'node:util';
import {z} from '@x402/core/schemas';
import {decrypt, toKeyAsync} from 'ox/Keystore';
import {readObject} from '../../buyer/verify/untrusted-json.ts';

/** The options that name the file with the key of a wallet. No option accepts the key itself, because other users would see it in the list of processes. */
interface WalletOptions {
  readonly keyFile?: string | undefined;
  readonly keystore?: string | undefined;
  readonly passphraseFile?: string | undefined;
}

const MOST_BYTES = 64 * 1024;

/**
 * Opens the wallet in the options, otherwise the key in a variable, such as FROZEN_BUYER_KEY. Throws `InputError` or `SiteError`
 * without a wallet or if it cannot be opened; messages do not contain secrets.
 *
 * @param whose the part of the variable names after `FROZEN_`
 */
export async function openWallet(
  options: WalletOptions,
  env: NodeJS.ProcessEnv,
  whose: 'BUYER' | 'PAYEE' | 'WITNESS' = 'BUYER',
): Promise<PrivateKeyAccount> {
  const {keyFile, keystore} = options;
  if (keyFile !== undefined) return readKeyFile(keyFile, 'The key file');
  if (keystore !== undefined) {
    const bytes = await readBounded(keystore, MOST_BYTES);
    return accountOf(await decrypted(keystore, bytes, await passphraseFor(options, env, whose)), keystore);
  }
  requireWallet(options, env, whose);
  const name = `FROZEN_${whose}_KEY`;
  return accountOf(env[name] ?? '', name);
}

/** Throws `InputError` if neither an option nor a variable has a key. */
export function requireWallet(
  {keyFile, keystore}: WalletOptions,
  env: NodeJS.ProcessEnv,
  whose: 'BUYER' | 'PAYEE' | 'WITNESS' = 'BUYER',
): void {
  const name = `FROZEN_${whose}_KEY`;
  if (keyFile !== undefined || keystore !== undefined || env[name]) return;
  const look = whose === 'BUYER' ? ' Add --dry-run to see an offer without a wallet.' : '';
  const fix = `Use --key-file, --keystore or the variable ${name}.${look}`;
  throw wrongUsage({code: 'FZ504', subject: 'The wallet', rule: 'is missing', fix});
}

async function passphraseFor({passphraseFile}: WalletOptions, env: NodeJS.ProcessEnv, whose: string): Promise<string> {
  const name = `FROZEN_${whose}_PASSPHRASE`;
  if (passphraseFile !== undefined)
    return (await readSecretFile(passphraseFile, `The passphrase file ${passphraseFile}`)).replace(/\r?\n$/, '');
  return env[name] || askHidden('Passphrase of the keystore: ', `--passphrase-file or the variable ${name}`);
}

/** Web3 Secret Storage, version 3. If another member or a number is wrong, deriving the key fails, or its MAC is wrong. */
const keystoreSchema = z.object({
  version: z.literal(3),
  crypto: z
    .object({cipher: z.literal('aes-128-ctr')})
    .passthrough()
    .and(
      z.discriminatedUnion('kdf', [
        z.object({
          kdf: z.literal('scrypt'),
          kdfparams: z.object({n: z.number(), r: z.number(), p: z.number(), salt: z.string()}),
        }),
        z.object({kdf: z.literal('pbkdf2'), kdfparams: z.object({c: z.number(), salt: z.string()})}),
      ]),
    ),
});

/** Decrypts the private key in a keystore. Throws `InputError` if it is not a keystore or the passphrase is wrong. */
async function decrypted(file: string, bytes: Uint8Array, passphrase: string): Promise<`0x${string}`> {
  const json = readObject(file, bytes);
  // Some wallets, such as ethers, write `Crypto`.
  const read = keystoreSchema.safeParse({crypto: json['Crypto'], ...json});
  if (!read.success)
    throw new InputError({code: 'FZ504', file, rule: 'is not a keystore (Web3 Secret Storage, version 3)'});
  const keystore = read.data as unknown as Parameters<typeof toKeyAsync>[0];
  const {kdf, kdfparams} = read.data.crypto;
  try {
    // ox uses r = 1 and p = 8 for all files. Most wallets write 8 and 1. OpenSSL refuses the large n that ox itself writes with r = 1.
    const isByWallet = kdf === 'scrypt' && !(kdfparams.r === 1 && kdfparams.p === 8);
    const key = await (isByWallet ? scryptKey(kdfparams, passphrase) : toKeyAsync(keystore, {password: passphrase}));
    return decrypt(keystore, key);
  } catch (cause) {
    const rule = 'cannot be opened: the passphrase is wrong, or the file is damaged';
    throw new InputError({code: 'FZ504', file, rule, fix: 'Enter the passphrase of the keystore.'}, {cause});
  }
}

type ScryptParameters = Readonly<{n: number; r: number; p: number; salt: string}>;

/** The memory for a key, in bytes: four times what geth uses. */
const MAX_MEMORY = 1024 ** 3;

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

async function scryptKey({n, r, p, salt}: ScryptParameters, passphrase: string): Promise<`0x${string}`> {
  const key = await scryptAsync(passphrase, Buffer.from(salt, 'hex'), 32, {N: n, r, p, maxmem: MAX_MEMORY});
  return `0x${key.toString('hex')}`;
}
