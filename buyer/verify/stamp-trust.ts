import {
  BasicConstraints,
  Certificate,
  CertificateChainValidationEngine,
  CertificateRevocationList,
  type SignedData,
} from 'pkijs';
import {numberIn} from '../../shared/time-stamp.ts';
import {counted} from '../../shared/counted.ts';
import {derOf, subjectOf} from './certificates.ts';

/** The certificates that a buyer trusts, in DER. */
export interface Trusted {
  /** The certificates of authorities, of roots and of what is between. */
  readonly authorities: readonly Uint8Array[];
  /** Their revocation lists. */
  readonly lists: readonly Uint8Array[];
}

/** Who vouches for a signer at a moment: the subject of the trusted certificate, or why nobody does, as the end of a sentence. */
export type Vouched = {readonly by: string; readonly notes: readonly string[]} | {readonly fault: string};

/** Follows the certificates of a stamp's signer up to one that is trusted (RFC 5280), as of the stamp's time, and looks for each on the lists. */
export async function vouchedFor(
  signer: Certificate,
  time: string,
  token: SignedData,
  {authorities, lists}: Trusted,
): Promise<Vouched> {
  const trustedCerts = authorities.map(der => Certificate.fromBER(new Uint8Array(der)));
  const own = (token.certificates ?? []).filter(one => one instanceof Certificate);
  // The engine looks for the path of the last one.
  const certs = [...own.filter(one => !isSame(one, signer)), signer];
  const engine = new CertificateChainValidationEngine({trustedCerts, certs, checkDate: new Date(time)});
  const {result, resultMessage, certificatePath: path = []} = await engine.verify();
  const [leaf, ...issuers] = path;
  const root = issuers.at(-1);
  if (!result || !leaf || !root || !isSame(leaf, signer))
    return {fault: `is by ${subjectOf(signer)}, whom the given authorities did not vouch for then: ${resultMessage}`};
  const unknown = unknownTerm([leaf, ...issuers.slice(0, -1)]);
  if (unknown !== undefined) return {fault: unknown};
  const tooLong = lengthFault(path);
  if (tooLong !== undefined) return {fault: tooLong};
  const given = lists.map(der => CertificateRevocationList.fromBER(new Uint8Array(der)));
  const within = (token.crls ?? []).filter(one => one instanceof CertificateRevocationList);
  const revocations: Revocation[] = [];
  let wasListed = false;
  for (const [at, issuer] of issuers.entries())
    for (const list of [...given, ...within]) {
      if (!(await isBy(list, issuer))) continue;
      wasListed = true;
      revocations.push(...revocationsOf(path[at] ?? leaf, list));
    }
  const late = (one: Revocation) => one.isHarmless && Date.parse(one.date) > Date.parse(time);
  const fatal = revocations.find(one => !late(one));
  if (fatal) return {fault: `is by ${fatal.words}`};
  const unlisted = given.length > 0 && !wasListed ? ['the given revocation list is of another authority'] : [];
  return {by: subjectOf(root), notes: [...unlisted, ...revocations.map(({words}) => `later: ${words}`)]};
}

/** Extensions (RFC 5280) that the chain engine or the check of the stamp heeds: names, usages, policies and the bounds of an authority. */
const HEEDED = ['15', '17', '18', '19', '30', '32', '33', '36', '37', '54'].map(id => `2.5.29.${id}`);

/** The first critical extension that nothing here heeds, as the end of a sentence: its issuer does not vouch without it (RFC 5280, 4.2). */
function unknownTerm(certificates: readonly Certificate[]): string | undefined {
  for (const one of certificates)
    for (const {critical, extnID} of one.extensions ?? [])
      if (critical && !HEEDED.includes(extnID))
        return `is vouched for by a certificate with a critical extension that is not known here, ${extnID}: ${subjectOf(one)}`;
  return undefined;
}

const BASIC_CONSTRAINTS = '2.5.29.19';

/**
 * The first authority on a path whose path length constraint the path exceeds, as the end of a sentence. Certificates that name themselves as
 * issuer do not count (RFC 5280, 4.2.1.9 and 6.1.4). Unlike the RFC and like OpenSSL, it also holds for the trusted certificate.
 *
 * @param path from the signer up
 */
function lengthFault(path: readonly Certificate[]): string | undefined {
  let below = 0;
  for (const authority of path.slice(1)) {
    const allowed = allowedBelow(authority);
    if (allowed < 0) return `is vouched for by a certificate with a negative path length: ${subjectOf(authority)}`;
    if (below > allowed)
      return `is vouched for by ${subjectOf(authority)}, which allows ${counted(allowed, 'certificate')} below it, and not ${below}`;
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

const REASON_CODE = '2.5.29.21';

/**
 * `unspecified`, `affiliationChanged`, `superseded` and `cessationOfOperation` leave what was stamped before as it is; any other reason,
 * and none, makes every stamp invalid: RFC 3161, 4.
 */
const HARMLESS = [0, 3, 4, 5];

/** The revocation of a certificate. */
interface Revocation {
  readonly date: string;
  /** Whether earlier stamps stay valid. */
  readonly isHarmless: boolean;
  readonly words: string;
}

function revocationsOf(certificate: Certificate, {revokedCertificates = []}: CertificateRevocationList): Revocation[] {
  const entries = revokedCertificates.filter(({userCertificate}) => userCertificate.isEqual(certificate.serialNumber));
  return entries.map(({revocationDate, crlEntryExtensions}) => {
    const extension = crlEntryExtensions?.extensions.find(({extnID}) => extnID === REASON_CODE);
    // An ENUMERATED of ASN.1, which pkijs has no class for.
    const reason = (extension?.parsedValue as {valueBlock?: {valueDec?: number}} | undefined)?.valueBlock?.valueDec;
    const date = revocationDate.value.toISOString();
    return {
      date,
      isHarmless: reason !== undefined && HARMLESS.includes(reason),
      words: `${subjectOf(certificate)}, whose certificate was revoked on ${date}, ${reason === undefined ? 'for no reason given' : `reason ${reason}`}`,
    };
  });
}
