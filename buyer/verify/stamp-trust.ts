import {
  BasicConstraints,
  Certificate,
  CertificateChainValidationEngine,
  CertificateRevocationList,
  type SignedData,
} from 'pkijs';
import {numberIn} from '../../shared/time-stamp.ts';
import {counted} from '../../shared/counted.ts';
import {X509Certificate} from 'node:crypto';
import {InputError} from '../../shared/fault.ts';
import {readBounded} from './bounded-file.ts';

export interface Trusted {
  /** Certificates of authorities in DER, roots and intermediates. */
  readonly authorities: readonly Uint8Array[];
  /** Revocation lists in DER. */
  readonly lists: readonly Uint8Array[];
}

/**
 * The subject of the trusted certificate; in `notes` later revocations, after which the stamp is still valid; and in `unlisted` the subjects
 * of the certificates that no given list covers at the time of the stamp. Or the reason why the signer is not trusted, as the end of a
 * sentence.
 */
type ChainVerification =
  | {readonly by: string; readonly notes: readonly string[]; readonly unlisted: readonly string[]}
  | {readonly fault: string};

/**
 * Builds the chain from the signer of a timestamp to a trusted certificate (RFC 5280), as of the time of the stamp, and checks the
 * revocation lists.
 */
export async function verifyCertificateChain(
  signer: Certificate,
  time: string,
  token: SignedData,
  {authorities, lists}: Trusted,
): Promise<ChainVerification> {
  const trustedCerts = authorities.map(der => Certificate.fromBER(new Uint8Array(der)));
  const own = (token.certificates ?? []).filter(one => one instanceof Certificate);
  // The engine builds the chain of the last certificate.
  const certs = [...own.filter(one => !isSame(one, signer)), signer];
  const engine = new CertificateChainValidationEngine({trustedCerts, certs, checkDate: new Date(time)});
  const {result, resultMessage, certificatePath: path = []} = await engine.verify();
  const [leaf, ...issuers] = path;
  const root = issuers.at(-1);
  if (!result || !leaf || !root || !isSame(leaf, signer))
    return {
      fault: `is signed by ${subjectOf(signer)}, which the given authorities did not certify at that time: ${resultMessage}`,
    };
  const unknown = unknownTerm([leaf, ...issuers.slice(0, -1)]);
  if (unknown !== undefined) return {fault: unknown};
  const tooLong = lengthFault(path);
  if (tooLong !== undefined) return {fault: tooLong};
  const given = lists.map(der => CertificateRevocationList.fromBER(new Uint8Array(der)));
  const within = (token.crls ?? []).filter(one => one instanceof CertificateRevocationList);
  const revocations: Revocation[] = [];
  const unlisted: string[] = [];
  for (const [at, issuer] of issuers.entries()) {
    const certificate = path[at] ?? leaf;
    let isListed = given.length === 0;
    for (const list of [...given, ...within]) {
      if (!(await isBy(list, issuer))) continue;
      isListed ||= isCurrentAt(time, list);
      revocations.push(...revocationsOf(certificate, list));
    }
    if (!isListed) unlisted.push(subjectOf(certificate));
  }
  const late = (one: Revocation) => one.isHarmless && Date.parse(one.date) > Date.parse(time);
  const fatal = revocations.find(one => !late(one));
  if (fatal) return {fault: `is signed by ${fatal.words}`};
  return {by: subjectOf(root), notes: revocations.map(({words}) => `later: ${words}`), unlisted};
}

/** Extensions (RFC 5280) that the chain engine or this module evaluates: names, usages, policies and constraints of an authority. */
const HEEDED = ['15', '17', '18', '19', '30', '32', '33', '36', '37', '54'].map(id => `2.5.29.${id}`);

/** Returns an error for the first critical extension that is not evaluated, as the end of a sentence (RFC 5280, section 4.2). */
function unknownTerm(certificates: readonly Certificate[]): string | undefined {
  for (const one of certificates)
    for (const {critical, extnID} of one.extensions ?? [])
      if (critical && !HEEDED.includes(extnID))
        return `is certified with an unknown critical extension, ${extnID}: ${subjectOf(one)}`;
  return undefined;
}

const BASIC_CONSTRAINTS = '2.5.29.19';

/**
 * Returns an error for the first authority whose path length constraint is exceeded, as the end of a sentence. Self-issued certificates do
 * not count (RFC 5280, sections 4.2.1.9 and 6.1.4). Unlike the RFC and like OpenSSL, the constraint also applies to the trusted
 * certificate.
 *
 * @param path starts with the signer
 */
function lengthFault(path: readonly Certificate[]): string | undefined {
  let below = 0;
  for (const authority of path.slice(1)) {
    const allowed = allowedBelow(authority);
    if (allowed < 0) return `is certified by a certificate with a negative path length: ${subjectOf(authority)}`;
    if (below > allowed)
      return `is certified by ${subjectOf(authority)}, which allows ${counted(allowed, 'certificate')} below it, not ${below}`;
    if (!authority.issuer.isEqual(authority.subject)) below++;
  }
  return undefined;
}

function allowedBelow({extensions}: Certificate): number {
  const parsed: unknown = extensions?.find(({extnID}) => extnID === BASIC_CONSTRAINTS)?.parsedValue;
  const allowed = parsed instanceof BasicConstraints ? parsed.pathLenConstraint : undefined;
  if (allowed === undefined) return Infinity;
  return typeof allowed === 'number' ? allowed : numberIn(allowed.valueBlock.valueHexView);
}

function isSame(one: Certificate, other: Certificate): boolean {
  return derOf(one).equals(derOf(other));
}

async function isBy(list: CertificateRevocationList, issuerCertificate: Certificate): Promise<boolean> {
  return list.verify({issuerCertificate}).catch(() => false);
}

/** True if a list was not out of date at a time (RFC 5280, 5.1.2.5), so that it contains earlier revocations. */
function isCurrentAt(time: string, {thisUpdate, nextUpdate = thisUpdate}: CertificateRevocationList): boolean {
  return nextUpdate.value.getTime() >= Date.parse(time);
}

const REASON_CODE = '2.5.29.21';

/**
 * With the reasons `unspecified`, `affiliationChanged`, `superseded` and `cessationOfOperation`, earlier timestamps stay valid. With any
 * other reason, or none, all timestamps are invalid (RFC 3161, section 4).
 */
const HARMLESS = [0, 3, 4, 5];

type Revocation = ReturnType<typeof revocationsOf>[number];

function revocationsOf(certificate: Certificate, {revokedCertificates = []}: CertificateRevocationList) {
  const entries = revokedCertificates.filter(({userCertificate}) => userCertificate.isEqual(certificate.serialNumber));
  return entries.map(({revocationDate, crlEntryExtensions}) => {
    const extension = crlEntryExtensions?.extensions.find(({extnID}) => extnID === REASON_CODE);
    // An ASN.1 ENUMERATED, for which pkijs has no class.
    const reason = (extension?.parsedValue as {valueBlock?: {valueDec?: number}} | undefined)?.valueBlock?.valueDec;
    const date = revocationDate.value.toISOString();
    return {
      date,
      /** True if earlier timestamps stay valid. */
      isHarmless: reason !== undefined && HARMLESS.includes(reason),
      words: `${subjectOf(certificate)}, whose certificate was revoked on ${date}, ${reason === undefined ? 'without a reason' : `reason ${reason}`}`,
    };
  });
}

const MOST_BYTES = 16 * 1024 * 1024;

/** Returns the DER of all objects of one kind in a file: one in DER, or several in PEM. Throws `InputError` for a file without one. */
async function derIn(file: string, label: string, check: (der: Uint8Array) => unknown): Promise<Uint8Array[]> {
  const bytes = await readBounded(file, MOST_BYTES);
  const blocks = bytes
    .toString('latin1')
    .matchAll(new RegExp(`-----BEGIN ${label}-----([^-]+)-----END ${label}-----`, 'g'));
  const inPem = [...blocks].map(([, base64 = '']) => Buffer.from(base64, 'base64'));
  const found = (inPem.length > 0 ? inPem : [bytes]).map(der => new Uint8Array(der));
  try {
    found.forEach(check);
    return found;
  } catch (cause) {
    throw new InputError({code: 'FZ621', file, rule: `contains no ${label} in PEM or DER`}, {cause});
  }
}

/** Returns the certificates in a file as DER. */
export function certificatesIn(file: string): Promise<Uint8Array[]> {
  return derIn(file, 'CERTIFICATE', der => Certificate.fromBER(new Uint8Array(der)));
}

/** Returns the revocation lists in a file as DER. */
export function revocationListsIn(file: string): Promise<Uint8Array[]> {
  return derIn(file, 'X509 CRL', der => CertificateRevocationList.fromBER(new Uint8Array(der)));
}

export function derOf(certificate: Certificate): Buffer {
  return Buffer.from(certificate.toSchema().toBER());
}

/** Returns the subject of a certificate in one line, most specific name first: `CN=Test Stamps, O=Test Authority`. */
export function subjectOf(certificate: Certificate): string {
  return new X509Certificate(derOf(certificate)).subject.split('\n').reverse().join(', ');
}
