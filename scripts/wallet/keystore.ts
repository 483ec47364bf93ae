import {z} from '@x402/core/schemas';
import {decrypt, toKeyAsync} from 'ox/Keystore';
import {InputError} from '../../shared/fault.ts';
import {readObject} from '../../buyer/verify/untrusted-json.ts';

/** Web3 Secret Storage, version 3. If another member is wrong, the MAC is wrong too. */
const keystoreSchema = z.object({
  version: z.literal(3),
  crypto: z.object({cipher: z.literal('aes-128-ctr')}).passthrough(),
});

/** Decrypts the private key in a keystore. Throws `InputError` if it is not a keystore or the passphrase is wrong. */
export async function decrypted(file: string, bytes: Uint8Array, passphrase: string): Promise<`0x${string}`> {
  const json = readObject(file, bytes);
  // Some wallets, such as ethers, write `Crypto`.
  const read = keystoreSchema.safeParse({crypto: json['Crypto'], ...json});
  if (!read.success)
    throw new InputError({code: 'FZ504', file, rule: 'is not a keystore (Web3 Secret Storage, version 3)'});
  // A member that is missing makes ox throw.
  const keystore = read.data as unknown as Parameters<typeof toKeyAsync>[0];
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
