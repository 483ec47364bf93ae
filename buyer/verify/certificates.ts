import {X509Certificate} from 'node:crypto';
import {Certificate, CertificateRevocationList} from 'pkijs';
import {InputError} from '../../shared/fault.ts';
import {readBounded} from './bounded-file.ts';

const MOST_BYTES = 16 * 1024 * 1024;

/** Returns the DER of all objects of one kind in a file: one in DER, or several in PEM. Throws `InputError` if there is none. */
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
