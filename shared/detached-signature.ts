import {base64url, errors, FlattenedSign, flattenedVerify, importJWK} from 'jose';
import {SIGNATURE_FILE} from './paths.ts';
import type {PublicKey} from './public-key.ts';
import {ALGORITHM, verifyingKey, type SigningKey} from './signing-key.ts';

/** `header..signature` in base64url, without padding. */
const FORM = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]{85}[AQgw])$/;

/** Longer than any signature of a site. */
export const MOST_SIGNATURE_BYTES = 4096;

/**
 * Signs bytes: a compact JWS with detached content (RFC 7515, appendix F; RFC 7797). The same bytes and key always return the same text.
 */
export async function signDetached(bytes: Uint8Array, key: SigningKey): Promise<string> {
  const signer = new FlattenedSign(bytes).setProtectedHeader(headerBy(key));
  const {protected: header = '', signature} = await signer.sign(await importJWK({...key}, ALGORITHM));
  return `${header}..${signature}`;
}

/**
 * Returns why a text is not the signature of a key over these bytes, as the end of a sentence, or undefined. The header must be exactly the
 * one that `signDetached` writes, so that it cannot choose an algorithm or key.
 */
export async function signatureFault(text: string, bytes: Uint8Array, key: PublicKey): Promise<string | undefined> {
  const [, header = '', signature = ''] = FORM.exec(text) ?? [];
  if (header === '') return 'is not a compact JWS with detached content and an Ed25519 signature';
  const fault = headerFault(header, key);
  if (fault !== undefined) return fault;
  try {
    await flattenedVerify({protected: header, payload: bytes, signature}, await verifyingKey(key), {
      algorithms: [ALGORITHM],
    });
    return undefined;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed)
      return `is not by the key ${key.kid} over these bytes: they were changed, or signed with another key`;
    return `cannot be verified: ${(error as Error).message}`;
  }
}

/** Returns a sentence without full stop if a catalogue is not signed with the site's key, or undefined. */
export async function unsignedCatalogue(
  signature: Uint8Array | undefined,
  catalogue: Uint8Array,
  key: PublicKey,
): Promise<string | undefined> {
  const fault = signature ? await signatureFault(textOf(signature), catalogue, key) : 'is missing';
  return fault && `${SIGNATURE_FILE} ${fault}. Buyers would refuse the catalogue: run \`frozen sign catalogue\``;
}

/** Returns the bytes of a signature as text. With bytes other than ASCII, the text is not a valid signature. */
export function textOf(signature: Uint8Array): string {
  return new TextDecoder('latin1').decode(signature.subarray(0, MOST_SIGNATURE_BYTES));
}

function headerBy({kid}: PublicKey) {
  return {alg: ALGORITHM, b64: false, crit: ['b64'], kid};
}

function headerFault(encoded: string, key: PublicKey): string | undefined {
  const header = headerIn(encoded);
  if (!header) return 'has a header that is not a JSON object in canonical form';
  const wanted = headerBy(key);
  const foreign = Object.keys(header).find(member => !Object.hasOwn(wanted, member));
  if (foreign !== undefined) return `has ${foreign} in its header, which a signature of a site may not contain`;
  for (const [member, value] of Object.entries(wanted)) {
    const [found, right] = [header[member], value].map(one => JSON.stringify(one));
    if (found !== right) return `has ${found ? `the ${member} ${found}` : `no ${member}`} in its header, not ${right}`;
  }
  return undefined;
}

/** The header, if writing it again returns the same text, which excludes white space and duplicate members. */
function headerIn(encoded: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = new TextDecoder('utf-8', {fatal: true}).decode(base64url.decode(encoded));
    const value: unknown = JSON.parse(text);
    const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isPlain && JSON.stringify(value) === text ? {...value} : undefined;
  } catch {
    // Not base64url, UTF-8 or JSON. The caller reports all of these as one error.
    return undefined;
  }
}
