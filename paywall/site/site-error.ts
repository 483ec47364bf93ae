import type {ErrorCode} from '../../shared/error-codes.ts';
import {withShownAddresses} from '../../shared/shown-address.ts';

/** The reason why a gate does not start: one sentence for the publisher. Passwords in URLs are removed from the message. */
export class SiteError extends Error {
  override readonly name = 'SiteError';

  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(withShownAddresses(message), options);
    this.code = code;
  }
}
