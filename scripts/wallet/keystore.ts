import {z} from '@x402/core/schemas';
import {decrypt, toKeyAsync} from 'ox/Keystore';
import {InputError} from '../../shared/fault.ts';
import {readObject} from '../../buyer/verify/untrusted-json.ts';

const hex = z.string().regex(/^([0-9a-fA-F]{2})+$/);

/** Web3 Secret Storage, version 3. */
const keystoreSchema = z.object({
  version: z.literal(3),
  id: z.string().default(''),
  crypto: z
    .object({
      cipher: z.literal('aes-128-ctr'),
      ciphertext: hex.length(64),
      cipherparams: z.object({iv: hex.length(32)}),
      mac: hex.length(64),
    })
    .and(
      z.discriminatedUnion('kdf', [
        z.object({
          kdf: z.literal('scrypt'),
          kdfparams: z.object({
            dklen: z.literal(32),
            n: z
              .number()
              .int()
              .min(2)
              .max(2 ** 20),
            r: z.number().int().min(1).max(16),
            p: z.number().int().min(1).max(16),
            salt: hex,
          }),
        }),
        z.object({
          kdf: z.literal('pbkdf2'),
          kdfparams: z.object({
            dklen: z.literal(32),
            c: z.number().int().min(1).max(10_000_000),
            prf: z.literal('hmac-sha256'),
            salt: hex,
          }),
        }),
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
  const {version, id, crypto} = read.data;
  // The type of ox does not distinguish the two key derivation functions.
  const keystore = {version, id, crypto} as Parameters<typeof toKeyAsync>[0];
  try {
    return decrypt(keystore, await toKeyAsync(keystore, {password: passphrase}));
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
