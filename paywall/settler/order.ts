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
  /** Returns the limits for a contract wallet whose transaction costs so many wei, or undefined for a key. */
  readonly spending: (cost: bigint) => Promise<ContractSpending | undefined>;
  /** Called before a transaction is recorded: from then on it may be sent. */
  readonly onSigning: () => void;
}

/** There is too little of the chain's coin for another transaction. */
export class OutOfGas extends Error {}

/** The payment is refused before anything is sent, with a code as x402 has them. */
export class PaymentRefused extends Error {}

/** Why the payment of a contract wallet is refused, as a code for its buyer. */
export const CONTRACT_REFUSALS = {
  reverted: 'contract_wallet_transaction_reverted',
  'over budget': 'contract_wallet_gas_budget_exhausted',
} as const;

const GWEI = 10n ** 9n;

/** Rounded up. The ledger counts in gwei, because wei may exceed its integers. */
export function gweiOf(wei: bigint): number {
  return Number((wei + GWEI - 1n) / GWEI);
}
