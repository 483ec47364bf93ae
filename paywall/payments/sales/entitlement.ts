import {OPEN, type Sale} from '../../ledger/sale.ts';
import {decide} from './decide.ts';
import {Lease} from './lease.ts';
import type {Offer} from '../protocol/offer.ts';
import {PaidSale} from './paid-sale.ts';
import {passOf} from './pass.ts';
import type {Payment} from '../protocol/payment.ts';
import {isSignInByKey, readSignIn, signInFault} from './sign-in.ts';
import {proofFault} from './proof-fault.ts';
import {inTime, settleAgain} from './settle.ts';
import {IN_FLIGHT, UNAVAILABLE, UNKNOWN, type RetryReason} from '../retry.ts';
import {hasArrived, isAwaited, isExpired, sleep, type PaymentServices} from '../services.ts';
import type {Claimant} from '../limits.ts';

/** A proof of the payer's identity: a payment that is not settled, or the header SIGN-IN-WITH-X with the digest of a document. */
export type Proof =
  | {
      readonly kind: 'payment';
      readonly payment: Payment;
      readonly claimant: Claimant;
      /** True if it can be settled at this time. Otherwise it can only collect a document that it paid for or collected before. */
      readonly isTimely: boolean;
    }
  | {readonly kind: 'sign-in'; readonly header: string; readonly sha256: string; readonly client: string | undefined};

/** The entitlement of a payer to a document. */
export type Entitlement =
  | {readonly kind: 'entitled'; readonly sale: PaidSale}
  /** The payer is not entitled: the document must be paid for. */
  | {readonly kind: 'none'}
  | {readonly kind: 'refused'; readonly reason: string}
  /** Another payment has the same idempotency key. */
  | {readonly kind: 'conflict'}
  | {readonly kind: 'retry'; readonly reason: RetryReason};

/** A sale that another process works on is read again after this time, then with growing pauses. In milliseconds. */
const READ_AFTER_MS = 5;
const READ_AT_MOST_EVERY_MS = 1_000;

/**
 * Finds out whether a payer is entitled to the document of an offer without another charge: because it is paid and not delivered, was
 * bought before, or is covered by a pass. Waits for a sale of the payer that another request works on. Rejects if the ledger or the node
 * of the chain does not answer.
 */
export async function entitlementOf(proof: Proof, offer: Offer, services: PaymentServices): Promise<Entitlement> {
  if (proof.kind === 'sign-in') return entitlementBySignIn(proof, offer, services);
  const end = performance.now() + services.timeoutMs;
  const known = await look(proof, offer, services);
  if (known) return known;
  const awaited = await services.waiting.run(proof.claimant, async () => {
    for (let pause = READ_AFTER_MS; performance.now() < end; pause = Math.min(pause * 2, READ_AT_MOST_EVERY_MS)) {
      await sleep(pause);
      const known = await look(proof, offer, {...services, timeoutMs: end - performance.now()}, true);
      if (known) return known;
    }
    return UNKNOWN;
  });
  return awaited ?? IN_FLIGHT;
}

async function entitlementBySignIn(
  {header, sha256, client}: Proof & {kind: 'sign-in'},
  offer: Offer,
  services: PaymentServices,
): Promise<Entitlement> {
  const signIn = await readSignIn(header, offer);
  if ('reason' in signIn) return {kind: 'refused', ...signIn};
  const {network, payer} = signIn;
  const buyer = {network, payer, url: offer.url};
  const isForSale = sha256 === offer.snapshot.sha256;
  const sale =
    (await services.ledger.bought(buyer, sha256)) ?? (isForSale ? await passOf(buyer, offer, services) : undefined);
  // Checked only now, so that an unknown client cannot cause requests to the node.
  if (!sale) return {kind: 'refused', reason: 'siwx_not_paid'};
  const isByKey = await isSignInByKey(signIn, services.recover);
  const fault = await services.verifications.run({client, payer, isByKey}, () =>
    signInFault(signIn, isByKey, services),
  );
  if (typeof fault === 'object') return fault;
  if (fault !== undefined) return {kind: 'refused', reason: fault};
  return (await leased(sale, services, isForSale ? undefined : sha256)) ?? IN_FLIGHT;
}

/** Returns the entitlement at this time, or undefined if another process works on the sale or has just finished. */
async function look(
  {payment, claimant, isTimely}: Proof & {kind: 'payment'},
  offer: Offer,
  services: PaymentServices,
  isProven = false,
): Promise<Entitlement | undefined> {
  const {ledger, verifications} = services;
  const {network} = payment.requirements;
  const buyer = {network, payer: claimant.payer, url: offer.url};
  const entries = await ledger.find(payment.key, buyer, payment.id);
  const pass = await passOf(buyer, offer, services);
  const decision = decide({...entries, pass}, payment, isTimely, offer);
  switch (decision.kind) {
    case 'in flight':
      return IN_FLIGHT;
    case 'none':
    case 'conflict':
      return {kind: decision.kind};
    case 'refused':
      return decision;
    case 'recheck':
      return verifications.run(claimant, () => recheck(decision.sales, payment, claimant, services));
    case 'collect':
    case 'owned': {
      const {sale, isSame} = decision;
      const fault =
        isSame || isProven
          ? undefined
          : await verifications.run(claimant, () => proofFault(payment, claimant, services));
      // The node may fail for longer than a sent document can be collected. A busy gate does not count: its clients can make it busy.
      if (fault === UNAVAILABLE && sale.state === 'settled' && isAwaited(sale)) await ledger.markAwaited(sale.key);
      if (fault) return fault;
      const owned = await (decision.kind === 'collect' ? collected(sale, offer, services) : leased(sale, services));
      if (owned?.kind !== 'entitled' || isSame) return owned;
      return (await recordCollection(payment, owned.sale, offer, services)) ? owned : UNKNOWN;
    }
  }
}

/**
 * Records that a payment collects the document of a sale, before it is sent: the client sends the payment again if the answer is lost, and
 * must not be charged. Returns false if the ledger fails: this request may have charged the sale, and its document can still be collected.
 */
async function recordCollection(
  {key, id}: Payment,
  {sale, lease}: PaidSale,
  {snapshot}: Offer,
  {ledger}: PaymentServices,
): Promise<boolean> {
  try {
    await ledger.recordCollection({key, paymentId: id, sale: sale.key, sha256: snapshot.sha256});
    return true;
  } catch {
    lease?.drop();
    return false;
  }
}

/** Records a failed sale as settled if the chain shows its payment. Then it returns undefined, and the next look collects the document. */
async function recheck(
  failed: readonly Sale[],
  payment: Payment,
  claimant: Claimant,
  services: PaymentServices,
): Promise<Entitlement | undefined> {
  const {chain, ledger} = services;
  const fault = await proofFault(payment, claimant, services);
  if (fault) return fault;
  const since = Math.min(...failed.map(({startedAt}) => startedAt));
  const statuses = (await chain?.findAll(failed, since)) ?? [];
  for (const [at, {key, state}] of failed.entries()) {
    const status = statuses[at];
    if (status?.kind !== 'paid') continue;
    const lease = await Lease.take(ledger, key, [state]);
    await lease?.moveAndRelease({to: 'settled', transaction: status.transaction});
    return undefined;
  }
  return statuses.some(status => status?.kind === 'no answer') ? UNAVAILABLE : {kind: 'none'};
}

/** Returns the entitlement by an open sale. Undefined if the sale has ended, or another process works on it. */
async function collected(open: Sale, offer: Offer, services: PaymentServices): Promise<Entitlement | undefined> {
  const lease = open.leasedUntil < open.readAt ? await Lease.take(services.ledger, open.key, OPEN) : undefined;
  if (!lease) return undefined;
  const {sale} = lease;
  if (sale.state === 'pending') {
    const outcome = await inTime(settleAgain(lease, offer, services), lease, services);
    if (outcome.kind === 'settled') return {kind: 'entitled', sale: outcome.sale};
    return outcome.kind === 'unknown' ? UNKNOWN : undefined;
  }
  if (!hasArrived(sale) && !isExpired(sale)) return {kind: 'entitled', sale: PaidSale.entitled(sale, lease)};
  await lease.moveAndRelease({to: hasArrived(sale) ? 'delivered' : 'expired'});
  return undefined;
}

/** Returns the entitlement by a paid sale, with a lease if it was not delivered yet. Undefined if another process works on the sale. */
async function leased(sale: Sale, {ledger}: PaymentServices, archived?: string): Promise<Entitlement | undefined> {
  if (sale.state === 'delivered') return {kind: 'entitled', sale: PaidSale.entitled(sale, undefined, archived)};
  const lease = await Lease.take(ledger, sale.key, ['settled', 'expired']);
  return lease && {kind: 'entitled', sale: PaidSale.entitled(sale, lease, archived)};
}
