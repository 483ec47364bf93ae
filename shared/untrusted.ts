/** OpenSSL's error codes if a certificate was not signed by an authority that Node trusts. */
const UNKNOWN_ISSUER = [
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];
const ADVICE =
  ': the issuer of the TLS certificate is unknown. If you trust it, set NODE_EXTRA_CA_CERTS to a PEM file of its certificate';

/** Returns the remedy if an error, or a cause of it, is a certificate of an unknown issuer, or else ''. */
export function untrustedAdvice(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && UNKNOWN_ISSUER.includes(String(cause.code))) return ADVICE;
  return '';
}
