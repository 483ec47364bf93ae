import type {SettleResponse} from '@x402/core/types';
import type {NewSale, Sale} from '../../ledger/sale.ts';
import {isOverAt, type AuthorizationStatus} from '../../../shared/evm/authorization-status.ts';
import type {Settlement} from '../facilitator/facilitator.ts';
import type {Lease} from './lease.ts';
import type {Offer} from '../protocol/offer.ts';
import {PaidSale} from './paid-sale.ts';
import {payloadOf, receiptOf, termsOf} from './terms.ts';
import {sleep, within, type PaymentServices} from '../services.ts';

/** The outcome of a sale, after the ledger has recorded it. The lease continues only if the sale is settled. */
export type Outcome =
  {readonly kind: 'settled'; readonly sale: PaidSale} | Exclude<Settlement, {readonly kind: 'settled'}>;

/** The code of x402 for an authorization that the chain or the ledger shows as used. */
export const USED = 'invalid_exact_evm_nonce_already_used';
const NEVER_SETTLED = 'never settled';
const LOOK_EVERY_MS = 500;
/** If the facilitator did not answer, a transaction is mined within seconds or does not exist. */
const LOOK_FOR_MS = 3_000;
const UNKNOWN = {kind: 'unknown'} as const;

/** Settles a sale that was just recorded. */
export async function settle(lease: Lease, offer: Offer, services: PaymentServices): Promise<Outcome> {
  const settlement = await requestSettlement(lease.sale, offer, services);
  switch (settlement.kind) {
    case 'settled':
      return settled(lease, settlement.receipt, services);
    case 'unavailable':
      await lease.withdraw();
      return settlement;
    case 'declined': {
      // A facilitator can be wrong about a payment that a copy of its transaction settled.
      const status = await services.chain?.find(lease.sale, services.clock());
      if (status?.kind === 'paid') return settled(lease, receiptOf(lease.sale, status.transaction), services);
      return declined(lease, settlement.reason);
    }
    default:
      return lookForMoney(lease, services);
  }
}

/** Waits some seconds for the chain to show a settlement that the facilitator did not confirm. */
async function lookForMoney(lease: Lease, services: PaymentServices): Promise<Outcome> {
  const {clock, chain, timeoutMs} = services;
  for (const end = performance.now() + Math.min(timeoutMs, LOOK_FOR_MS); ; await sleep(LOOK_EVERY_MS)) {
    const outcome = await outcomeOf(await chain?.find(lease.sale, clock()), lease, services);
    if (outcome) return outcome;
    if (!chain || performance.now() > end) return open(lease);
  }
}

/**
 * Resolves a sale whose outcome is unknown, and settles it if it never was. The chain decides if we have a node of its network. Otherwise
 * only a facilitator that confirms the settlement decides: a nonce that it calls used proves nothing, since the payer can cancel it.
 */
export async function settleAgain(lease: Lease<Sale>, offer: Offer, services: PaymentServices): Promise<Outcome> {
  const {sale} = lease;
  const {chain, clock} = services;
  const before = await outcomeOf(await chain?.find(sale, sale.startedAt), lease, services);
  if (before) return before;
  const settlement = await requestSettlement(sale, offer, services);
  if (settlement.kind === 'settled') return settled(lease, settlement.receipt, services);
  const status = await chain?.find(sale, sale.startedAt);
  if (status) return (await outcomeOf(status, lease, services)) ?? open(lease);
  if (!isOverAt(clock(), sale)) return open(lease);
  await lease.moveAndRelease({to: 'indeterminate'});
  return {kind: 'indeterminate'};
}

/**
 * Waits for an outcome as long as a buyer does. An outcome that is known later is recorded too, and the next request collects the document.
 * If the ledger cannot be written, the sale keeps its state and its lease ends by itself.
 */
export async function inTime(settling: Promise<Outcome>, lease: Lease, services: PaymentServices): Promise<Outcome> {
  const outcome = settling.catch(() => {
    lease.drop();
    return UNKNOWN;
  });
  services.keepAlive(outcome);
  const known = await within(services.timeoutMs, outcome);
  if (known) return known;
  services.keepAlive(
    outcome.then(({kind}) => (kind === 'settled' ? lease.sent('cut off').catch(() => undefined) : undefined)),
  );
  return UNKNOWN;
}

/** Returns the outcome according to the chain, or undefined if it does not decide. */
async function outcomeOf(
  status: AuthorizationStatus | undefined,
  lease: Lease,
  services: PaymentServices,
): Promise<Outcome | undefined> {
  switch (status?.kind) {
    case 'paid':
      return settled(lease, receiptOf(lease.sale, status.transaction), services);
    case 'used elsewhere':
      return unpaid(lease, USED);
    case 'unused':
      return isOverAt(status.at, lease.sale) ? unpaid(lease, NEVER_SETTLED) : undefined;
    default:
      return undefined;
  }
}

async function requestSettlement(sale: NewSale, offer: Offer, {facilitator}: PaymentServices): Promise<Settlement> {
  const terms = termsOf(sale);
  return facilitator.settle(await payloadOf(terms, offer), terms.requirements);
}

function settled(lease: Lease, receipt: SettleResponse, services: PaymentServices): Outcome {
  services.keepAlive(lease.settledBy(receipt.transaction));
  services.observer?.sold(lease.sale);
  return {kind: 'settled', sale: PaidSale.settled(lease, receipt)};
}

async function declined(lease: Lease, reason: string): Promise<Outcome> {
  await lease.moveAndRelease({to: 'declined', reason});
  return {kind: 'declined', reason};
}

/** Records that the authorization paid nothing here and cannot pay any more, according to the chain. */
async function unpaid(lease: Lease, reason: string): Promise<Outcome> {
  await lease.moveAndRelease({to: 'unpaid', reason});
  return {kind: 'declined', reason};
}

/** Releases a sale that stays open. */
async function open(lease: Lease): Promise<Outcome> {
  await lease.moveAndRelease({to: 'pending'});
  return UNKNOWN;
}
