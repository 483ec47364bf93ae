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
  readonly authorities: readonly Uint8Array<ArrayBuffer>[];
  /** Revocation lists in DER. */
  readonly lists: readonly Uint8Array<ArrayBuffer>[];
}

/** Returns the error for a timestamp that is not valid. `rule` is the end of a sentence about it. */
export function invalidStamp(rule: string): InputError {
  return new InputError({code: 'FZ113', subject: 'The timestamp', rule});
}

/**
 * Builds the chain from the signer of a timestamp to a trusted certificate (RFC 5280), as of the time of the stamp, and checks the
 * revocation lists. Throws `InputError` if the signer is not trusted.
 *
 * @returns in `by` the subject of the trusted certificate; in `notes` later revocations, after which the stamp is still valid; and in
 * `unlisted` the subjects of the certificates that no given list covers at the time of the stamp
 */
export async function verifyCertificateChain(
  signer: Certificate,
  time: string,
  token: SignedData,
  {authorities, lists}: Trusted,
) {
  const [leaf, ...issuers] = await certificatePath(signer, time, token, authorities);
  refuseUnknownTerms([leaf, ...issuers.slice(0, -1)]);
  refuseTooLong(issuers);
  const given = lists.map(der => CertificateRevocationList.fromBER(der));
  const within = (token.crls ?? []).filter(one => one instanceof CertificateRevocationList);
  const revocations: Revocation[] = [];
  const unlisted: string[] = [];
  let certificate = leaf;
  for (const issuer of issuers) {
    let isListed = given.length === 0;
    for (const list of [...given, ...within]) {
      if (!(await isBy(list, issuer))) continue;
      isListed ||= isCurrentAt(time, list);
      revocations.push(...revocationsOf(certificate, list));
    }
    if (!isListed) unlisted.push(subjectOf(certificate));
    certificate = issuer;
  }
  const fatal = revocations.find(({isHarmless, date}) => !isHarmless || date <= time);
  if (fatal) throw invalidStamp(`is signed by ${fatal.words}`);
  return {by: subjectOf(certificate), notes: revocations.map(({words}) => `later: ${words}`), unlisted};
}

/** Returns the certificates from the signer to a trusted one. */
async function certificatePath(
  signer: Certificate,
  time: string,
  token: SignedData,
  authorities: Trusted['authorities'],
): Promise<[Certificate, ...Certificate[]]> {
  const trustedCerts = authorities.map(der => Certificate.fromBER(der));
  const own = (token.certificates ?? []).filter(one => one instanceof Certificate);
  // The engine builds the chain of the last certificate.
  const certs = [...own.filter(one => !isSame(one, signer)), signer];
  const engine = new CertificateChainValidationEngine({trustedCerts, certs, checkDate: new Date(time)});
  const {result, resultMessage, certificatePath: [leaf, ...issuers] = []} = await engine.verify();
  if (result && leaf && issuers.length > 0 && isSame(leaf, signer)) return [leaf, ...issuers];
  const by = subjectOf(signer);
  throw invalidStamp(`is signed by ${by}, which the given authorities did not certify at that time: ${resultMessage}`);
}

/** Extensions (RFC 5280) that the chain engine or this module evaluates: names, usages, policies and constraints of an authority. */
const HEEDED = ['15', '17', '18', '19', '30', '32', '33', '36', '37', '54'].map(id => `2.5.29.${id}`);

/** Refuses a critical extension that is not evaluated (RFC 5280, section 4.2). */
function refuseUnknownTerms(certificates: readonly Certificate[]): void {
  for (const one of certificates)
    for (const {critical, extnID} of one.extensions ?? [])
      if (critical && !HEEDED.includes(extnID))
        throw invalidStamp(`is certified with an unknown critical extension, ${extnID}: ${subjectOf(one)}`);
}

const BASIC_CONSTRAINTS = '2.5.29.19';

/**
 * Refuses a chain that exceeds the path length constraint of an authority. Self-issued certificates do not count (RFC 5280, sections
 * 4.2.1.9 and 6.1.4). Unlike the RFC and like OpenSSL, the constraint also applies to the trusted certificate.
 */
function refuseTooLong(issuers: readonly Certificate[]): void {
  let below = 0;
  for (const authority of issuers) {
    const [allowed, by] = [allowedBelow(authority), subjectOf(authority)];
    if (allowed < 0) throw invalidStamp(`is certified by a certificate with a negative path length: ${by}`);
    if (below > allowed)
      throw invalidStamp(
        `is certified by ${by}, which allows ${counted(allowed, 'certificate')} below it, not ${below}`,
      );
    if (!authority.issuer.isEqual(authority.subject)) below++;
  }
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

const PARSERS = {
  CERTIFICATE: (der: Uint8Array<ArrayBuffer>) => Certificate.fromBER(der),
  'X509 CRL': (der: Uint8Array<ArrayBuffer>) => CertificateRevocationList.fromBER(der),
} as const;

/** The kinds in messages. */
const NAMES: Readonly<Record<keyof typeof PARSERS, string>> = {
  CERTIFICATE: 'certificate',
  'X509 CRL': 'revocation list',
};

/** Returns the DER of all certificates or revocation lists in a file: one in DER, or several in PEM. Throws `InputError` without one. */
export async function derIn(file: string, kind: keyof typeof PARSERS): Promise<Uint8Array<ArrayBuffer>[]> {
  const bytes = await readBounded(file, MOST_BYTES);
  const block = new RegExp(`-----BEGIN ${kind}-----([^-]+)-----END ${kind}-----`, 'g');
  const inPem = [...bytes.toString('latin1').matchAll(block)].map(([, base64 = '']) => Buffer.from(base64, 'base64'));
  const found = (inPem.length > 0 ? inPem : [bytes]).map(der => new Uint8Array(der));
  try {
    found.forEach(PARSERS[kind]);
    return found;
  } catch (cause) {
    throw new InputError({code: 'FZ621', file, rule: `does not contain a ${NAMES[kind]} in PEM or DER`}, {cause});
  }
}

export function derOf(certificate: Certificate): Buffer {
  return Buffer.from(certificate.toSchema().toBER());
}

/** Returns the subject of a certificate in one line, most specific name first: `CN=Test Stamps, O=Test Authority`. */
export function subjectOf(certificate: Certificate): string {
  return new X509Certificate(derOf(certificate)).subject.split('\n').reverse().join(', ');
}
