import {InputError} from '../../shared/fault.ts';

/** How much a gate does at a time. The environment variable of the same name sets a limit; these are the defaults. */
export const DEFAULT_LIMITS = {
  // Payments and sign-ins with a key, while they are verified.
  MAX_VERIFICATIONS: 48,
  MAX_VERIFICATIONS_PER_CLIENT: 12,
  MAX_VERIFICATIONS_PER_PAYER: 12,
  // Payments and sign-ins of contract wallets. Their signatures can be made up for any address, so there is no limit per payer.
  MAX_CONTRACT_VERIFICATIONS: 16,
  MAX_CONTRACT_VERIFICATIONS_PER_CLIENT: 4,
  // Requests that wait for another request of the same payer. Each of them reads the ledger every second.
  MAX_WAITING: 256,
  MAX_WAITING_PER_CLIENT: 32,
  MAX_WAITING_PER_PAYER: 12,
  // Downloads of documents of former snapshots, until they are sent. Each has a part of the document in memory.
  MAX_DOWNLOADS: 64,
  MAX_DOWNLOADS_PER_CLIENT: 8,
  // The percentage of the settler's balance that contract wallets may use for gas within 24 hours.
  MAX_CONTRACT_GAS_PERCENT: 20,
};

export type Limits = Readonly<Record<keyof typeof DEFAULT_LIMITS, number>>;

const NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
const LIMIT = /^[1-9]\d{0,5}$/;
const mostOf = (name: keyof Limits) => (name.endsWith('_PERCENT') ? 100 : 999_999);

/** Reads the limits from environment variables. An empty variable is not set. Throws one `InputError` with all invalid values. */
export function readLimits(env: Readonly<Partial<Record<keyof Limits, string>>>): Limits {
  const invalid = NAMES.filter(name => env[name] && !(LIMIT.test(env[name]) && Number(env[name]) <= mostOf(name)));
  if (invalid.length > 0)
    throw new InputError(
      invalid.map(name => ({
        file: 'environment',
        field: name,
        value: env[name],
        rule: `is not a whole number from 1 to ${mostOf(name)}: correct it, or unset it for the default`,
      })),
      {ofUsage: true},
    );
  return Object.fromEntries(NAMES.map(name => [name, Number(env[name] || DEFAULT_LIMITS[name])])) as unknown as Limits;
}
