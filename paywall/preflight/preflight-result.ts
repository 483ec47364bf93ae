/** The result of one preflight check. */
export interface PreflightResult {
  /** An error prevents all sales. A warning may not: there was no usable answer, or the publisher has to judge. */
  readonly state: 'ok' | 'warning' | 'error';
  /** The kind of check, e.g. `token`. */
  readonly kind: string;
  /** The host, network or account that was checked. */
  readonly subject: string;
  /** Completes the sentence "<subject> …". */
  readonly message: string;
}
