import {parseTransaction} from 'viem';
import {LEASE_MS, type Ledger} from '../../paywall/ledger/ledger.ts';

interface Watching {
  readonly violate: (rule: string) => void;
  /** Returns true if any account could settle the payment of a sale. */
  readonly isPayable: (sale: string) => boolean;
}

/**
 * Reports if a ledger lets two processes lease a sale at the same time, or lets a process write without a lease, and if
 * a sale is declined that can still be charged.
 *
 * @param paying receives the nonces with which the settler recorded a payment
 */
export function watchLeases(ledger: Ledger, paying: Set<number>, {violate, isPayable}: Watching): Ledger {
  const leases = new Map<string, {readonly holder: string; readonly until: number}>();

  function grant(key: string, holder: string): void {
    const lease = leases.get(key);
    if (lease && lease.holder !== holder && lease.until >= Date.now()) violate(`two processes lease the sale ${key}`);
    leases.set(key, {holder, until: Date.now() + LEASE_MS});
  }

  function use(key: string, holder: string, isKept: boolean): void {
    if (leases.get(key)?.holder !== holder) violate(`a process without its lease writes the sale ${key}`);
    if (isKept) leases.set(key, {holder, until: Date.now() + LEASE_MS});
    else leases.delete(key);
  }

  const watched: Partial<Ledger> = {
    async start(sale, holder, withinMs) {
      const isStarted = await ledger.start(sale, holder, withinMs);
      if (isStarted) grant(sale.key, holder);
      return isStarted;
    },
    async lease(key, holder, states) {
      const sale = await ledger.lease(key, holder, states);
      if (sale) grant(key, holder);
      if (sale && !states.includes(sale.state)) violate(`the sale ${key} is ${sale.state}, and a process leases it`);
      return sale;
    },
    async renew(key, holder) {
      const isRenewed = await ledger.renew(key, holder);
      if (isRenewed) use(key, holder, true);
      return isRenewed;
    },
    async move(key, holder, move, keepLease) {
      const isMoved = await ledger.move(key, holder, move, keepLease);
      if (isMoved && move.to === 'declined' && isPayable(key))
        violate(`the sale ${key} is declined and can be charged`);
      if (isMoved) use(key, holder, keepLease === true);
      return isMoved;
    },
    async withdraw(key, holder) {
      await ledger.withdraw(key, holder);
      if (leases.get(key)?.holder === holder) leases.delete(key);
    },
    async addTransaction(signer, nonce, transaction, cost) {
      await ledger.addTransaction(signer, nonce, transaction, cost);
      if (parseTransaction(transaction).data !== undefined) paying.add(nonce);
    },
  };
  return new Proxy(ledger, {
    get: (target, name) => {
      const method: unknown = Reflect.get(watched, name) ?? Reflect.get(target, name, target);
      return typeof method === 'function' ? (method.bind(target) as unknown) : method;
    },
  });
}
