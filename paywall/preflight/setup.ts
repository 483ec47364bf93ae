import type {Rules} from '../../shared/shapes.ts';
import {
  openCredentials,
  type Credentials,
  type CredentialsFor,
  type Keys,
} from '../payments/facilitator/credentials.ts';
import type {NamedFacilitator} from '../../shared/real-money.ts';

/** The settings of a gate outside its site. */
export interface Settings {
  /** Replaces the facilitator of the rules. */
  readonly facilitatorUrl?: string | undefined;
  readonly rpcUrl?: string | undefined;
  /** True if the gate settles payments itself, through the node at `rpcUrl`. */
  readonly settles?: boolean;
  readonly keys: Keys;
}

/** The configuration of a gate, as far as the preflight checks it. */
export interface Setup {
  readonly rules: Pick<Rules, 'payment' | 'base_url'>;
  /** Undefined if the gate or its host settles payments itself. */
  readonly facilitator?: (NamedFacilitator & {readonly credentials: Credentials}) | undefined;
  /** A node of the chain. */
  readonly rpcUrl?: string | undefined;
  /** True if the gate settles payments itself, only on the chain of the node at `rpcUrl`. */
  readonly settles?: boolean;
}

/** Combines rules and settings. Throws `SiteError` if the keys are malformed or must not be sent to the facilitator. */
export async function openSetup(
  rules: Rules,
  {facilitatorUrl, rpcUrl, settles = false, keys}: Settings,
): Promise<{credentials: CredentialsFor; setup: Setup}> {
  const credentials = await openCredentials(keys, facilitatorUrl);
  const url = facilitatorUrl ?? rules.payment.facilitator_url;
  const facilitator = {url, isFromEnvironment: facilitatorUrl !== undefined, credentials: credentials(url)};
  return {credentials, setup: {rules, facilitator: settles ? undefined : facilitator, rpcUrl, settles}};
}
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
