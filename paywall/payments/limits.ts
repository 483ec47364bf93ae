import {ConcurrencyLimit} from '../../shared/concurrency-limit.ts';
import {InputError} from '../../shared/fault.ts';
import {BUSY} from './retry.ts';

/** No request works longer on a sale, in milliseconds. A Worker may stop a request 30 seconds after its client has disconnected. */
export const LOST_AFTER_MS = 120_000;

/** How much a gate does at a time, by default. The environment variable `FROZEN_<name>` sets another limit. */
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

/** The environment variables that set limits. */
export type LimitVariables = Readonly<Partial<Record<`FROZEN_${keyof Limits}`, string>>>;

const NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
const LIMIT = /^[1-9]\d{0,5}$/;
const variableOf = (name: keyof Limits) => `FROZEN_${name}` as const;
const mostOf = (name: keyof Limits) => (name.endsWith('_PERCENT') ? 100 : 999_999);

/** Reads the limits from environment variables. An empty variable is not set. Throws one `InputError` with all invalid values. */
export function readLimits(env: LimitVariables): Limits {
  const textOf = (name: keyof Limits) => env[variableOf(name)];
  const isValid = (text: string, name: keyof Limits) => LIMIT.test(text) && Number(text) <= mostOf(name);
  const invalid = NAMES.filter(name => textOf(name) && !isValid(textOf(name) ?? '', name));
  if (invalid.length > 0)
    throw new InputError(
      invalid.map(name => ({
        code: 'FZ501',
        field: variableOf(name),
        value: textOf(name),
        rule: `is not a whole number from 1 to ${mostOf(name)}: correct it, or unset it for the default`,
      })),
      {ofUsage: true},
    );
  return Object.fromEntries(
    NAMES.map(name => [name, Number(textOf(name) || DEFAULT_LIMITS[name])]),
  ) as unknown as Limits;
}

/** The sender of a payment or a sign-in. */
export interface Claimant {
  /** The client that the host reported, if it reports clients. */
  readonly client: string | undefined;
  /** An address in lower case. */
  readonly payer: string;
  /** True if the payer's key signed. Otherwise a contract may have signed. */
  readonly isByKey: boolean;
}

/** Limits how many payments and sign-ins are verified at a time. Verifying costs requests to the facilitator and the node. */
export class VerificationLimits {
  readonly #keys: ConcurrencyLimit<'client' | 'payer'>;
  readonly #contracts: ConcurrencyLimit<'client'>;

  constructor(limits: Limits) {
    this.#keys = new ConcurrencyLimit(
      {
        total: limits.MAX_VERIFICATIONS,
        client: limits.MAX_VERIFICATIONS_PER_CLIENT,
        payer: limits.MAX_VERIFICATIONS_PER_PAYER,
      },
      LOST_AFTER_MS,
    );
    this.#contracts = new ConcurrencyLimit(
      {total: limits.MAX_CONTRACT_VERIFICATIONS, client: limits.MAX_CONTRACT_VERIFICATIONS_PER_CLIENT},
      LOST_AFTER_MS,
    );
  }

  /** Runs the verification, or returns `BUSY` at once if a limit is reached. */
  async run<T>({client, payer, isByKey}: Claimant, verify: () => Promise<T>): Promise<T | typeof BUSY> {
    const work = async () => ({result: await verify()});
    const done = isByKey ? await this.#keys.run({client, payer}, work) : await this.#contracts.run({client}, work);
    return done ? done.result : BUSY;
  }
}
