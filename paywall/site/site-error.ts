import {withShownAddresses} from '../../shared/shown-address.ts';

/** The reason why a gate does not start: one sentence for the publisher. Passwords in URLs are removed from the message. */
export class SiteError extends Error {
  override readonly name = 'SiteError';

  constructor(message: string, options?: ErrorOptions) {
    super(withShownAddresses(message), options);
  }
}
