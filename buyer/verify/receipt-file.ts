import {z} from '@x402/core/schemas';
import {InputError} from '../../shared/fault.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import {readBounded} from './bounded-file.ts';
import {signedSchema} from './offer-checks.ts';
import {readUntrusted} from './untrusted-json.ts';

/** The kind of checks of a receipt's content. */
export const RECEIPT = 'receipt';

/** Larger than any receipt. */
const MOST_BYTES = 64 * 1024;

/** `receipt.json` of `frozen buy`. It has `receipt` and `signing` if the site has a key. */
const savedSchema = z.object({
  transaction: z.string().nullable(),
  network: z.string(),
  asset: z.string(),
  payer: z.string(),
  payTo: z.string(),
  amount: z.string().nullable(),
  receipt: signedSchema.optional(),
  signing: z.object({kid: z.string(), x: z.string()}).optional(),
});
/** Only the extension of x402, or its content. */
const bareSchema = z.union([
  signedSchema.transform(receipt => ({receipt})),
  z.object({info: z.object({receipt: signedSchema})}).transform(({info}) => info),
]);

export interface ReceiptFile {
  /** A compact JWS; undefined if the seller did not sign. */
  readonly jws: string | undefined;
  /** The key that the file names, which is not trusted. */
  readonly claimed: PublicKey | undefined;
  /** Members next to the signature, which must match the signed ones. */
  readonly beside: Readonly<Record<string, string>>;
}

/** Reads a receipt. Throws `InputError` if the file cannot be read or is not a receipt. */
export async function readReceipt(file: string): Promise<ReceiptFile> {
  const value = readUntrusted(file, await readBounded(file, MOST_BYTES));
  const saved = savedSchema.safeParse(value).data;
  if (saved) {
    const {receipt, signing, ...facts} = saved;
    const beside = Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== null);
    return {jws: receipt?.signature, claimed: signing, beside: Object.fromEntries(beside)};
  }
  const bare = bareSchema.safeParse(value).data;
  if (!bare)
    throw new InputError({
      code: 'FZ606',
      file,
      rule: 'is not a receipt',
      fix: 'Use `frozen verify document` to check a document.',
    });
  return {jws: bare.receipt.signature, claimed: undefined, beside: {}};
}
