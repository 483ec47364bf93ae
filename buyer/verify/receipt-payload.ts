import {z} from '@x402/core/schemas';
import {InputError} from '../../shared/fault.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import {shaped} from '../../shared/shaped.ts';
import {keyUrl, ALGORITHM, verifyingKey} from '../../shared/signing-key.ts';
import {base64url, compactVerify} from 'jose';
import {readObject, readUntrusted} from './untrusted-json.ts';
import {OFFER_RECEIPT} from '../../shared/payment-protocol.ts';
import {soldBy, type Catalogue, type Entry} from '../../shared/shapes.ts';
import {noted, verdict, type Check} from './check.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'is not an address');
const seconds = z.number().int().min(0).max(8_640_000_000_000);

/** The members that offers and receipts share: document and price. */
const terms = z.object({
  version: z.literal(1),
  resourceUrl: z.string().url('is not an address').max(2000),
  network: z.string().regex(/^eip155:\d{1,18}$/, 'is not a network in CAIP-2 form'),
  asset: address,
  payTo: address,
  /** Atomic units of the asset. */
  amount: z.string().regex(/^\d{1,78}$/, 'is not a whole number'),
  price: z.string().max(40),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256'),
  as_of: z.string().datetime({message: 'is not a date and time in UTC'}),
});
/** The signed terms of a gate. Times are seconds since 1970. */
export const offerSchema = terms.extend({scheme: z.literal('exact'), validUntil: seconds});
/** The gate's signed confirmation of payment and delivery. */
export const receiptSchema = terms.extend({
  payer: address,
  issuedAt: seconds,
  transaction: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/, 'is not a transaction')
    .optional(),
});

export type ReceiptPayload = Readonly<z.infer<typeof receiptSchema>>;

/** Reads a signed offer or receipt. Throws `InputError` if this key did not sign it, or if the document is of another site. */
export async function readSigned<T extends {resourceUrl: string}>(
  subject: string,
  jws: string,
  key: PublicKey,
  schema: z.ZodType<T, z.ZodTypeDef, unknown>,
): Promise<T> {
  const refuse = (rule: string) => new InputError({code: 'FZ618', subject, rule});
  const {kid, payload} = readStatement(subject, jws);
  const fault = await signatureFault(jws, key);
  if (fault !== undefined) throw refuse(fault);
  const read = shaped(schema, payload);
  if ('misfits' in read) {
    const [{path, rule}] = read.misfits;
    throw refuse(`is signed, but its content is invalid: ${path.join('.')} ${rule}`);
  }
  const {resourceUrl} = read.value;
  const own = keyUrl(resourceUrl, key.kid);
  if (kid === own) return read.value;
  throw refuse(`is signed by the key ${key.kid}, but names it ${kid} instead of ${own}, as ${resourceUrl} requires`);
}

/** Returns why a signed offer or receipt is invalid or differs from what is known, as ends of sentences about it. */
export async function signedFaults<T extends {resourceUrl: string}>(
  jws: string,
  key: PublicKey,
  schema: z.ZodType<T, z.ZodTypeDef, unknown>,
  known: Partial<Record<keyof T, unknown>>,
): Promise<string[]> {
  try {
    return differences(await readSigned('it', jws, key, schema), known);
  } catch (error) {
    if (error instanceof InputError) return error.faults.map(({rule}) => rule);
    throw error;
  }
}

/** Returns the differences between signed and known members, each as the end of a sentence. Ignores upper and lower case. */
export function differences<T extends object>(said: T, known: Partial<Record<keyof T, unknown>>): string[] {
  const plain = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);
  return Object.entries(known).flatMap(([member, value]) => {
    const signed = (said as Record<string, unknown>)[member];
    if (plain(signed) === plain(value)) return [];
    return [`says ${member} ${JSON.stringify(signed ?? null)}, not ${JSON.stringify(value ?? null)}`];
  });
}

/** Three parts in base64url; the last has the length of an Ed25519 signature. */
const FORM = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]{85}[AQgw]$/;
/** Longer than any statement of a gate. */
const MOST_CHARACTERS = 8192;

/**
 * Parses a compact JWS (RFC 7515) without verifying it. Throws `InputError` unless its header contains exactly EdDSA and the name of the
 * key, so that it can select neither algorithm nor key material. The name is a DID URL, such as `did:web:snapshots.example#<thumbprint>`.
 */
export function readStatement(subject: string, jws: string) {
  const refuse = (rule: string) => new InputError({code: 'FZ618', subject, rule});
  const [header = '', payload = ''] = jws.slice(0, MOST_CHARACTERS).split('.');
  const {alg, kid, ...others} = partIn(subject, 'header', header);
  const [member] = Object.keys(others);
  if (member !== undefined) throw refuse(`has ${member} in the header of its signature, which is not allowed`);
  if (alg !== ALGORITHM)
    throw refuse(`has the algorithm ${JSON.stringify(alg ?? null)}, not ${ALGORITHM}, so it proves nothing`);
  if (typeof kid !== 'string') throw refuse('does not name the key that signed it');
  if (jws.length > MOST_CHARACTERS || !FORM.test(jws)) throw refuse('is not a compact JWS with an Ed25519 signature');
  return {kid, thumbprint: kid.slice(kid.indexOf('#') + 1), payload: partIn(subject, 'payload', payload)};
}

/** Returns why a JWS is not signed by a key, as the end of a sentence, or undefined if it is. */
export async function signatureFault(jws: string, key: PublicKey): Promise<string | undefined> {
  try {
    await compactVerify(jws, await verifyingKey(key), {algorithms: [ALGORITHM]});
    return undefined;
  } catch {
    return `is not signed by the key ${key.kid}: it was changed later, or signed with another key`;
  }
}

/** Parses a part as strict JSON: parsers could read different values of a repeated member. */
function partIn(subject: string, name: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return readObject(name, base64url.decode(text));
  } catch (cause) {
    const why = cause instanceof InputError ? cause.message : 'it is not base64url';
    throw new InputError({code: 'FZ618', subject, rule: `cannot be read as a compact JWS: ${why}`}, {cause});
  }
}

export const signedSchema = z.object({format: z.literal('jws'), signature: z.string()});
const bodySchema = z.object({
  extensions: z.object({[OFFER_RECEIPT]: z.object({info: z.object({offers: z.array(signedSchema).max(50)})})}),
});

/** A signed statement of a gate: a compact JWS, as in the x402 extension `offer-receipt`. */
export type SignedStatement = Readonly<z.infer<typeof signedSchema>>;

/** Larger than the body of a 402 of a gate. Parsing a larger one could need too much memory. */
const MOST_BYTES = 1024 * 1024;

/** Returns the signed offers in the body of a 402, or none if it is not JSON of a gate of this project. */
export function signedOffersIn(body: Uint8Array): readonly SignedStatement[] {
  if (body.length > MOST_BYTES) return [];
  try {
    return bodySchema.safeParse(readUntrusted('the 402', body)).data?.extensions[OFFER_RECEIPT].info.offers ?? [];
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** Checks that the offers in a 402 are signed by the key of the site, with the digest and price in its catalogue. */
export async function offerChecks(
  body: Uint8Array,
  path: string,
  entry: Entry,
  {base_url, signing}: Catalogue,
): Promise<Check[]> {
  if (!signing) return [];
  const resourceUrl = base_url + path;
  const sha256 = soldBy(entry).find(({url}) => url === resourceUrl)?.sha256;
  const known = {resourceUrl, sha256, as_of: entry.as_of, price: entry.price};
  const offers = signedOffersIn(body);
  if (offers.length === 0)
    return [noted('offers', path, 'are not signed, because the gate does not have the signing key of its site')];
  const faults = offers.map(({signature}) => signedFaults(signature, signing, offerSchema, known));
  return verdict('offers', path, (await Promise.all(faults)).flat(), 'are signed by the key of the site');
}
