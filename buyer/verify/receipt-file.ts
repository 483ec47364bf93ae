import {z} from '@x402/core/schemas';
import {InputError} from '../../shared/fault.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import {readBounded} from './bounded-file.ts';
import {readUntrusted} from './untrusted-json.ts';

/** The name of checks of what a receipt says. */
export const RECEIPT = 'receipt';

/** Longer than any receipt. A document that is longer is not looked at. */
const MOST_BYTES = 64 * 1024;

const signedSchema = z.object({format: z.literal('jws'), signature: z.string()});
/** `receipt.json` as `frozen buy` writes it: `receipt` and `signing` are there where the site has a key. */
const keptSchema = z.object({
  transaction: z.string().nullable(),
  network: z.string(),
  asset: z.string(),
  payer: z.string(),
  payTo: z.string(),
  amount: z.string().nullable(),
  receipt: signedSchema.optional(),
  signing: z.object({kid: z.string(), x: z.string()}).optional(),
});
/** The extension of x402 alone, or its content. */
const bareSchema = z.union([
  signedSchema.transform(receipt => ({receipt})),
  z.object({info: z.object({receipt: signedSchema})}).transform(({info}) => info),
]);

/** A receipt in a file. */
export interface ReceiptFile {
  /** A compact JWS; nothing where the seller signed none. */
  readonly jws: string | undefined;
  /** The key that the file itself names, which proves nothing. */
  readonly claimed: PublicKey | undefined;
  /** The members beside the signature, which have to agree with it. */
  readonly beside: Readonly<Record<string, string>>;
}

/** The receipt in a file; nothing where it holds something else, such as a document. Throws `InputError` where the file cannot be read. */
export async function receiptFileAt(file: string): Promise<ReceiptFile | undefined> {
  const value = await shortJson(file);
  const kept = keptSchema.safeParse(value).data;
  if (kept) {
    const {receipt, signing, ...facts} = kept;
    const beside = Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== null);
    return {jws: receipt?.signature, claimed: signing, beside: Object.fromEntries(beside)};
  }
  const bare = bareSchema.safeParse(value).data;
  return bare && {jws: bare.receipt.signature, claimed: undefined, beside: {}};
}

/** JSON that is as short as a receipt; nothing for all else, which is told by whoever reads documents. */
async function shortJson(file: string): Promise<unknown> {
  try {
    return readUntrusted(file, await readBounded(file, MOST_BYTES));
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
