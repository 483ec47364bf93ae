import type {PrivateKeyAccount} from 'viem/accounts';
import {readLimits, type Limits} from '../../paywall/payments/limits.ts';
import type {Settings} from '../../paywall/preflight/setup.ts';
import {type Fault, wrongUsage} from '../../shared/fault.ts';
import {facilitatorUrl, httpUrl, urlIn} from '../../shared/service-url.ts';

/** The settings that `frozen start` also takes as options. */
export interface GateOptions {
  readonly facilitatorUrl?: string | undefined;
  readonly rpcUrl?: string | undefined;
  readonly settlerKeyFile?: string | undefined;
}

/** The settings of a gate that are not part of its site. */
export interface GateSettings extends Settings {
  /** The account that settles payments without a facilitator, with the node at `rpcUrl`. */
  readonly settler?: PrivateKeyAccount | undefined;
  readonly limits: Limits;
  /** The request header in which the proxy in front of the gate sends the client's address. */
  readonly clientAddressHeader?: string | undefined;
}

/**
 * Reads the settings of a gate from options, if a command has them, and from the environment: the same for `start`, `verify` and `deploy`.
 * An empty variable counts as unset. Throws `InputError` or `SiteError`; messages do not contain keys.
 */
export async function gateSettings(env: NodeJS.ProcessEnv, options: GateOptions = {}): Promise<GateSettings> {
  const file = options.settlerKeyFile || env['FROZEN_SETTLER_KEY_FILE'];
  const key = env['FROZEN_SETTLER_KEY'];
  const settings = {
    facilitatorUrl:
      options.facilitatorUrl || urlIn('FROZEN_FACILITATOR_URL', env['FROZEN_FACILITATOR_URL'], facilitatorUrl),
    rpcUrl: options.rpcUrl || urlIn('FROZEN_RPC_URL', env['FROZEN_RPC_URL'], httpUrl),
    limits: readLimits(env),
    clientAddressHeader: addressHeader(env),
    keys: env,
  };
  if (!file && !key) return settings;
  const fault = usageFault(settings, Boolean(file && key));
  if (fault) throw wrongUsage({code: 'FZ501', field: fieldOf(file, env), ...fault});
  const [{accountOf}, {readKeyFile}] = await Promise.all([
    import('../../paywall/settler/key.ts'),
    import('../../paywall/settler/key-file.ts'),
  ]);
  const settler = file ? await readKeyFile(file) : accountOf(key ?? '', 'FROZEN_SETTLER_KEY');
  return {...settings, settles: true, settler};
}

/** The name by which the settler's key was given. */
function fieldOf(file: string | undefined, env: NodeJS.ProcessEnv): string {
  if (!file) return 'FROZEN_SETTLER_KEY';
  return file === env['FROZEN_SETTLER_KEY_FILE'] ? 'FROZEN_SETTLER_KEY_FILE' : '--settler-key-file';
}

function usageFault({rpcUrl, facilitatorUrl}: Settings, hasTwo: boolean): Pick<Fault, 'rule' | 'fix'> | undefined {
  const fix = 'Unset one of them.';
  if (hasTwo) return {rule: 'is set together with FROZEN_SETTLER_KEY', fix};
  if (!rpcUrl) return {rule: 'needs FROZEN_RPC_URL, a node of the chain', fix: 'Set it too.'};
  return facilitatorUrl ? {rule: 'cannot be combined with FROZEN_FACILITATOR_URL', fix} : undefined;
}

/** Validates the name of a request header whose value is an address, or a list of addresses. */
function addressHeader({FROZEN_CLIENT_ADDRESS_HEADER: value}: NodeJS.ProcessEnv): string | undefined {
  if (!value) return undefined;
  // `Forwarded` (RFC 7239) has another syntax.
  if (/^[a-z0-9-]+$/i.test(value) && value.toLowerCase() !== 'forwarded') return value;
  const rule = 'is not a header that contains only addresses';
  const fix = 'Set the name of one, such as X-Real-IP or X-Forwarded-For.';
  throw wrongUsage({code: 'FZ501', field: 'FROZEN_CLIENT_ADDRESS_HEADER', value, rule, fix});
}
