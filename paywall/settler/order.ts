import type {Address, Hex} from 'viem';
import type {ContractSpending} from '../ledger/reservation.ts';
import type {Fees} from './fees.ts';

/** A call of a contract. */
export interface Call {
  readonly to: Address;
  readonly data: Hex;
}

/** A transaction before it is signed. */
export interface Draft extends Call, Fees {
  readonly gas: bigint;
}

/** The sale that a transaction is for. */
export interface Order {
  /** The key of the sale. */
  readonly key: string;
  /** The gas of the call, if it was estimated already. */
  readonly gas: bigint | undefined;
  /** Returns the limits of a contract wallet for a transaction of this cost in wei, or undefined for a key. */
  readonly spending: (cost: bigint) => Promise<ContractSpending | undefined>;
  /** Called before a transaction is recorded: from then on it may be sent. */
  readonly onSigning: () => void;
}

/** The settler cannot pay for the gas of another transaction. */
export class OutOfGas extends Error {}

/** A payment is refused before anything is sent. The message is a code in the style of x402. */
export class PaymentRefused extends Error {}

/** The codes that a buyer receives if the payment of its contract wallet is refused. */
export const CONTRACT_REFUSALS = {
  reverted: 'contract_wallet_transaction_reverted',
  'over budget': 'contract_wallet_gas_budget_exhausted',
} as const;

const GWEI = 10n ** 9n;

/** Converts wei to gwei, rounded up. The ledger counts in gwei, because wei may exceed its integers. */
export function gweiOf(wei: bigint): number {
  return Number((wei + GWEI - 1n) / GWEI);
}
