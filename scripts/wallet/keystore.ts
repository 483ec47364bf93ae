import {scrypt, type ScryptOptions} from 'node:crypto';
import {promisify} from 'node:util';
import {z} from '@x402/core/schemas';
import {decrypt, toKeyAsync} from 'ox/Keystore';
import {InputError} from '../../shared/fault.ts';
import {readObject} from '../../buyer/verify/untrusted-json.ts';

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
export async function decrypted(file: string, bytes: Uint8Array, passphrase: string): Promise<`0x${string}`> {
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
    throw new InputError(
      {
        code: 'FZ504',
        file,
        rule: 'cannot be opened: the passphrase is wrong, or the file is damaged',
        fix: 'Enter the passphrase of the keystore.',
      },
      {cause},
    );
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
