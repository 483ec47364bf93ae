import {withShownAddresses} from '../../shared/shown-address.ts';

/** Why a gate does not start: one sentence for the publisher. */
export class SiteError extends Error {
  override readonly name = 'SiteError';

  constructor(message: string, options?: ErrorOptions) {
    super(withShownAddresses(message), options);
  }
}
