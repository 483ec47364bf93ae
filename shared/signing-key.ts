import {
  base64url,
  calculateJwkThumbprint,
  compactVerify,
  CompactSign,
  exportJWK,
  FlattenedEncrypt,
  flattenedDecrypt,
  generateKeyPair,
  importJWK,
  type KeyLike,
} from 'jose';
import {type Fault, InputError} from './fault.ts';
import {isKeyText, type PublicKey} from './public-key.ts';

/** A private key: one JWK (RFC 8037), in a separate file or in a secret of a host. */
export interface SigningKey extends PublicKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly d: string;
}

/** The only algorithm for signatures. */
export const ALGORITHM = 'EdDSA';

/** Rounds of PBKDF2 for a passphrase: OWASP's recommendation, and the most that a file may require. */
const ROUNDS = 600_000;
const MOST_ROUNDS = 10_000_000;

export async function newSigningKey(): Promise<SigningKey> {
  const {privateKey} = await generateKeyPair(ALGORITHM, {crv: 'Ed25519', extractable: true});
  const {x = '', d = ''} = await exportJWK(privateKey);
  return {kty: 'OKP', crv: 'Ed25519', kid: await thumbprintOf(x), x, d};
}

/** Returns the RFC 7638 thumbprint of a public key. */
export async function thumbprintOf(x: string): Promise<string> {
  return calculateJwkThumbprint(publicJwk(x));
}

/** Returns an error, as the end of a sentence, if the `kid` of a key is not its thumbprint. */
export async function kidFault({kid, x}: PublicKey): Promise<string | undefined> {
  const thumbprint = await thumbprintOf(x);
  return kid === thumbprint ? undefined : `names a key as ${kid}, and its thumbprint is ${thumbprint}`;
}

/**
 * Returns why `x` is not a usable key, as the end of a sentence, or undefined. For a few points of the curve, signatures can be forged
 * without a private key.
 */
export async function pointFault({x}: Pick<PublicKey, 'x'>): Promise<string | undefined> {
  const {ed25519} = await import('@noble/curves/ed25519');
  try {
    return ed25519.Point.fromBytes(base64url.decode(x)).isSmallOrder()
      ? 'is a weak key: signatures by it can be forged'
      : undefined;
  } catch {
    return 'is not an Ed25519 key';
  }
}

/** Returns a key for verifying. Throws if `x` is not a usable key. */
export async function verifyingKey({x}: Pick<PublicKey, 'x'>): Promise<KeyLike> {
  const fault = await pointFault({x});
  if (fault !== undefined) throw new Error(`${x} ${fault}`);
  // An OKP key is never imported as plain bytes.
  return (await importJWK(publicJwk(x), ALGORITHM)) as KeyLike;
}

/** Returns the text of a key file, encrypted if there is a passphrase. */
export async function keyText(key: SigningKey, passphrase?: string): Promise<string> {
  const json = JSON.stringify(key, null, 2);
  if (passphrase === undefined) return `${json}\n`;
  const jwe = await new FlattenedEncrypt(new TextEncoder().encode(json))
    .setProtectedHeader({alg: 'PBES2-HS256+A128KW', enc: 'A128CBC-HS256', cty: 'jwk+json'})
    // oxlint-disable-next-line typescript/no-deprecated -- the default of 2,048 rounds can be guessed through
    .setKeyManagementParameters({p2c: ROUNDS})
    .encrypt(new TextEncoder().encode(passphrase));
  return `${JSON.stringify(jwe, null, 2)}\n`;
}

/**
 * Reads a key from its text, a JWK or an encrypted one (JWE). Throws `InputError`, which never contains a part of the key, if it is not a
 * key, its halves do not match, or the passphrase is wrong.
 * @param place the file with the key, or the variable as a field, for messages
 * @param passphrase called only for an encrypted key
 */
export async function readSigningKey(
  place: string | {readonly field: string},
  text: string,
  passphrase: () => Promise<string>,
): Promise<SigningKey> {
  const named = typeof place === 'string' ? {file: place} : place;
  const json = membersIn(text);
  const isEncrypted = typeof json['ciphertext'] === 'string';
  const {kty, crv, kid, x, d} = isEncrypted ? await decrypted(named, text, await passphrase()) : json;
  const refuse = (rule: string, fix?: string) => new InputError({code: 'FZ208', ...named, rule, fix});
  if (kty !== 'OKP' || crv !== 'Ed25519' || !isKeyText(x) || !isKeyText(d))
    throw refuse('is not a private Ed25519 key as a JWK', 'Use a key that `frozen sign new-key` created.');
  if (kid !== (await thumbprintOf(x))) throw refuse('has a kid that is not the thumbprint of its key (RFC 7638)');
  const key: SigningKey = {kty, crv, kid, x, d};
  if (!(await belongTogether(key))) throw refuse('has a private and a public half that do not belong together');
  return key;
}

async function decrypted(
  place: Pick<Fault, 'file' | 'field'>,
  text: string,
  passphrase: string,
): Promise<Record<string, unknown>> {
  try {
    const jwe = JSON.parse(text) as Parameters<typeof flattenedDecrypt>[0];
    const {plaintext} = await flattenedDecrypt(jwe, new TextEncoder().encode(passphrase), {
      keyManagementAlgorithms: ['PBES2-HS256+A128KW'],
      maxPBES2Count: MOST_ROUNDS,
    });
    return membersIn(new TextDecoder().decode(plaintext));
  } catch (cause) {
    const rule = 'cannot be decrypted: the passphrase is wrong, or the file is damaged';
    throw new InputError({code: 'FZ208', ...place, rule, fix: 'Correct the passphrase, or restore the file.'}, {cause});
  }
}

/** True if the public half verifies a signature of the private half. Importing a JWK does not check that. */
async function belongTogether(key: SigningKey): Promise<boolean> {
  try {
    const signer = new CompactSign(new Uint8Array()).setProtectedHeader({alg: ALGORITHM});
    await compactVerify(await signer.sign(await importJWK({...key}, ALGORITHM)), await verifyingKey(key));
    return true;
  } catch {
    // The cause would show the key.
    return false;
  }
}

function membersIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? {...value} : {};
  } catch {
    // The cause would show the key.
    return {};
  }
}

function publicJwk(x: string) {
  return {kty: 'OKP', crv: 'Ed25519', x};
}

/** Returns the DID URL of a site's key (`did:web`), where x402 clients look it up. */
export function keyUrl(origin: string, kid: string): string {
  return `did:web:${encodeURIComponent(new URL(origin).host)}#${kid}`;
}
