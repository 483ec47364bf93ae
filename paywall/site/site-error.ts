import type {ErrorCode} from '../../shared/error-codes.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';

/** The reason why a gate does not start: one sentence for the publisher. Passwords in URLs are removed from the message. */
export class SiteError extends Error {
  override readonly name = 'SiteError';

  readonly code: ErrorCode;
  /** The remedy: whole sentences. By default that of the code. */
  readonly fix: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    {fix, ...options}: ErrorOptions & {readonly fix?: string | undefined} = {},
  ) {
    super(withShownAddresses(message), options);
    this.code = code;
    this.fix = fix;
  }
}
