import type {Rules} from '../../shared/shapes.ts';
import {openCredentials, type CredentialsFor, type Keys} from '../payments/facilitator/credentials.ts';
import type {Setup} from './readiness.ts';

/** What a publisher sets beside the site. */
export interface Settings {
  /** Instead of the one in the rules. */
  readonly facilitatorUrl?: string | undefined;
  readonly rpcUrl?: string | undefined;
  /** Whether the gate settles by itself, with the node at `rpcUrl`. */
  readonly settles?: boolean;
  readonly keys: Keys;
}

/** What a gate of these rules would sell with. Throws `SiteError` where the keys are none, or not for its facilitator. */
export async function openSetup(
  rules: Rules,
  {facilitatorUrl, rpcUrl, settles = false, keys}: Settings,
): Promise<{credentials: CredentialsFor; setup: Setup}> {
  const credentials = await openCredentials(keys, facilitatorUrl);
  const url = facilitatorUrl ?? rules.payment.facilitator_url;
  const facilitator = {url, isFromEnvironment: facilitatorUrl !== undefined, credentials: credentials(url)};
  return {credentials, setup: {rules, facilitator: settles ? undefined : facilitator, rpcUrl, settles}};
}
