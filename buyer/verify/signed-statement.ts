import {base64url, compactVerify} from 'jose';
import {InputError} from '../../shared/fault.ts';
import type {PublicKey} from '../../shared/public-key.ts';
import {ALGORITHM, verifyingKey} from '../../shared/signing-key.ts';
import {readObject} from './untrusted-json.ts';

/** Three parts in base64url; the last has the length of an Ed25519 signature. */
const FORM = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]{85}[AQgw]$/;
/** Longer than any statement of a gate. */
const MOST_CHARACTERS = 8192;

/** A signed statement and the name of its key. The signature is not verified yet. */
export interface Statement {
  /** A DID URL, such as `did:web:snapshots.example#<thumbprint>`. */
  readonly kid: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Returns the thumbprint in the name of a key. */
export function thumbprintIn({kid}: Pick<Statement, 'kid'>): string {
  return kid.slice(kid.indexOf('#') + 1);
}

/**
 * Parses a compact JWS (RFC 7515) without verifying it. Throws `InputError` unless its header contains exactly EdDSA and the name of the
 * key, so that it can select neither algorithm nor key material.
 */
export function readStatement(subject: string, jws: string): Statement {
  const refuse = (rule: string) => new InputError({code: 'FZ618', subject, rule});
  const [header = '', payload = ''] = jws.slice(0, MOST_CHARACTERS).split('.');
  const {alg, kid, ...others} = partIn(subject, 'header', header);
  const [member] = Object.keys(others);
  if (member !== undefined) throw refuse(`has ${member} in the header of its signature, which is not allowed`);
  if (alg !== ALGORITHM)
    throw refuse(`has the algorithm ${JSON.stringify(alg ?? null)}, not ${ALGORITHM}, so it proves nothing`);
  if (typeof kid !== 'string') throw refuse('does not name the key that signed it');
  if (jws.length > MOST_CHARACTERS || !FORM.test(jws)) throw refuse('is not a compact JWS with an Ed25519 signature');
  return {kid, payload: partIn(subject, 'payload', payload)};
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
