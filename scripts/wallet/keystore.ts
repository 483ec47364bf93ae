import {pbkdf2Async} from '@noble/hashes/pbkdf2';
import {scryptAsync} from '@noble/hashes/scrypt';
import {sha256} from '@noble/hashes/sha2';
import {z} from '@x402/core/schemas';
import {decrypt} from 'ox/Keystore';
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
  try {
    const key = await derivedKey(read.data.crypto, passphrase);
    return decrypt(read.data as unknown as Parameters<typeof decrypt>[0], `0x${Buffer.from(key).toString('hex')}`);
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

/** Unlike `toKeyAsync` of ox, this uses the `r` and `p` of the file: most wallets write 8 and 1. */
function derivedKey({kdf, kdfparams}: z.infer<typeof keystoreSchema>['crypto'], passphrase: string) {
  const salt = Buffer.from(kdfparams.salt, 'hex');
  if (kdf === 'pbkdf2') return pbkdf2Async(sha256, passphrase, salt, {c: kdfparams.c, dkLen: 32});
  const {n, r, p} = kdfparams;
  return scryptAsync(passphrase, salt, {N: n, r, p, dkLen: 32});
}
