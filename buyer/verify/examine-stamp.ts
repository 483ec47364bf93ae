import {readStamp, sequenceMembers, TST_INFO, type Stamp} from '../../shared/time-stamp.ts';
import {earlinessOf} from '../../shared/proof.ts';
import type {ListedFreeze} from '../../shared/shapes.ts';
import {derOf, invalidStamp, subjectOf, verifyCertificateChain, type Trusted} from './stamp-trust.ts';
import {checksFromError, noted, passed, verdict} from './check.ts';
import {minuteOf, PROOF, type ExaminedProof} from './proof-result.ts';
import {createHash} from 'node:crypto';
import {OctetString, Sequence} from 'asn1js';
import {AlgorithmIdentifier, Certificate, ExtKeyUsage, type Attribute, type SignedData} from 'pkijs';

/** A timestamp (RFC 3161), its freeze, and the trusted certificates. */
export interface StampExam {
  readonly bytes: Uint8Array;
  readonly freeze: Pick<ListedFreeze, 'as_of' | 'descriptor'>;
  readonly trusted: Trusted | undefined;
  /** The nonce of the request, if the timestamp is the answer to it. */
  readonly nonce?: Uint8Array;
  readonly now: string;
}

/** Returns all checks of a timestamp, and a result if its authority is trusted. */
export async function examineStamp(subject: string, exam: StampExam): Promise<ExaminedProof> {
  try {
    const stamp = readStamp(subject, exam.bytes);
    const {token, time, latest} = stamp;
    const signer = await signerOf(token);
    const faults = [...contentFaults(stamp, exam), ...certificateFaults(signer, token)];
    if (faults.length > 0) return {checks: verdict(PROOF, subject, faults, '')};
    const by = subjectOf(signer);
    const chain = exam.trusted && (await verifyCertificateChain(signer, time, token, exam.trusted));
    const said = `stamped ${time} by ${by}`;
    if (!chain) {
      const how = 'verified with --tsa-ca and the certificate of its authority';
      return {checks: [passed(PROOF, subject, said)], unproved: `a timestamp of ${minuteOf(latest)} by ${by} (${how})`};
    }
    const unlisted = chain.unlisted.map(one =>
      noted(PROOF, subject, `no given revocation list was current at that time for ${one}`),
    );
    return {
      checks: [passed(PROOF, subject, [said, `certified by ${chain.by}`, ...chain.notes].join('; ')), ...unlisted],
      result: {by, witness: by, latest},
    };
  } catch (error) {
    return {checks: checksFromError(PROOF, subject, error)};
  }
}

/** Returns what is wrong with the digest, the time and the nonce of a timestamp, as ends of a sentence about it. */
function contentFaults({info, digest, time, latest}: Stamp, {freeze, nonce, now}: StampExam): string[] {
  const early = earlinessOf(latest, freeze.as_of);
  const answered = info.nonce?.valueBlock.valueHexView ?? Buffer.of();
  return [
    ...(digest === freeze.descriptor
      ? []
      : [`is for the digest ${digest}, not for that of the freeze, ${freeze.descriptor}`]),
    ...(early === undefined ? [] : [early]),
    ...(earlinessOf(now, time) === undefined ? [] : [`has the time ${time}, which is in the future`]),
    ...(!nonce || Buffer.from(nonce).equals(answered)
      ? []
      : ['answered another request: the nonce is not that of this one']),
  ];
}

const CONTENT_TYPE = '1.2.840.113549.1.9.3';
/** `id-aa-signingCertificate` (RFC 2634), always SHA-1, and `id-aa-signingCertificateV2` (RFC 5035). */
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const KEY_USAGE = '2.5.29.15';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
/** The bits `digitalSignature` and `nonRepudiation` of the first byte. */
const SIGNS = 0b1100_0000;
const DATA = '1.2.840.113549.1.7.1';

const HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Returns the certificate with which a timestamp is signed. Throws `InputError` unless its only signature is valid. */
async function signerOf(token: SignedData): Promise<Certificate> {
  if (token.signerInfos.length !== 1) throw invalidStamp('does not have exactly one signature');
  // For a timestamp, pkijs would require the stamped data, but only its digest is available. The signature does not cover the content
  // type.
  token.encapContentInfo.eContentType = DATA;
  const verified = token.verify({signer: 0, checkChain: false, extendedMode: true});
  const {signatureVerified, signerCertificate} = await verified.catch((error: unknown) => {
    const why = error instanceof Error ? error.message : 'its form is invalid';
    throw invalidStamp(`has a signature that cannot be checked: ${why}`);
  });
  if (signatureVerified && signerCertificate) return signerCertificate;
  throw invalidStamp('has a signature that does not match its certificate');
}

/**
 * Checks what is signed, and the purpose of the certificate: RFC 3161, sections 2.3 and 2.4.2. Does not check whether the certificate is
 * trusted. Returns ends of a sentence about the timestamp.
 */
function certificateFaults(signer: Certificate, {signerInfos}: SignedData): string[] {
  const attributes = signerInfos[0]?.signedAttrs?.attributes ?? [];
  const [contentType] = valuesOf(attributes, CONTENT_TYPE);
  const extension = (id: string) => signer.extensions?.find(({extnID}) => extnID === id);
  const usage = extension(EXTENDED_KEY_USAGE);
  const purposes = usage?.parsedValue instanceof ExtKeyUsage ? usage.parsedValue.keyPurposes : [];
  const isForTime = usage?.critical === true && purposes.length === 1 && purposes[0] === TIME_STAMPING;
  const bits = extension(KEY_USAGE)?.parsedValue as {valueBlock?: {valueHexView?: Uint8Array}} | undefined;
  const mayNotSign = bits !== undefined && ((bits.valueBlock?.valueHexView?.[0] ?? 0) & SIGNS) === 0;
  return [
    ...(contentType?.valueBlock.toString() === TST_INFO ? [] : ['has a signature of something other than a time']),
    ...(isForTime ? [] : ['is signed with a certificate that is not only for timestamps (RFC 3161, 2.3)']),
    ...(mayNotSign ? ['is signed with a certificate that is not for signatures'] : []),
    ...(isNamed(signer, attributes) ? [] : ['does not name the certificate that it is signed with (RFC 5035)']),
  ];
}

/**
 * True if the signed attributes contain the digest of this certificate. Otherwise another certificate with the same key could replace it.
 */
function isNamed(signer: Certificate, attributes: readonly Attribute[]): boolean {
  const [v2] = valuesOf(attributes, SIGNING_CERTIFICATE_V2);
  const [v1] = valuesOf(attributes, SIGNING_CERTIFICATE);
  const [algorithm, digest] = v2 ? digestIn(v2) : v1 ? ['sha1', digestIn(v1)[1]] : [];
  if (!algorithm || !digest) return false;
  return createHash(algorithm).update(derOf(signer)).digest().equals(digest);
}

/** Returns algorithm (by default SHA-256) and digest of the first `ESSCertIDv2` or `ESSCertID` in a list. */
function digestIn(value: unknown): [algorithm: string | undefined, digest: Uint8Array | undefined] {
  const [first, second] = sequenceMembers(sequenceMembers(sequenceMembers(value)[0])[0]);
  const digest = first instanceof OctetString ? first : second;
  const algorithm = first instanceof Sequence ? HASHES[new AlgorithmIdentifier({schema: first}).algorithmId] : 'sha256';
  return [algorithm, digest instanceof OctetString ? digest.valueBlock.valueHexView : undefined];
}

/** Returns the values of an attribute; none if it is repeated. */
function valuesOf(attributes: readonly Attribute[], type: string): readonly {valueBlock: {toString(): string}}[] {
  const found = attributes.filter(attribute => attribute.type === type);
  // The types of pkijs do not describe these ASN.1 values.
  return found.length === 1 ? ((found[0]?.values ?? []) as {valueBlock: {toString(): string}}[]) : [];
}
