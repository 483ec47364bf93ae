import {parseTransaction, type Hex} from 'viem';
import {LEASE_MS, type Ledger} from '../../paywall/ledger/ledger.ts';
import {through} from './ledger.ts';
import type {World} from './world.ts';

/** What the settler uses a nonce for. A filler pays for nothing. */
export type Use = 'payment' | 'filler';

/**
 * Reports if a ledger lets two processes lease a sale at the same time, or lets a process write without a lease, if a sale is declined that
 * can still be charged, and if the settler uses a nonce twice.
 */
export function watchLedger(ledger: Ledger, world: World): Ledger {
  const reserving = new Map<number, {readonly key: string; readonly holder: string | undefined}>();
  const leases = new Map<string, {readonly holder: string; readonly until: number}>();

  function grant(key: string, holder: string): void {
    const lease = leases.get(key);
    if (lease && lease.holder !== holder && lease.until >= Date.now())
      world.violate(`two processes lease the sale ${key}`);
    leases.set(key, {holder, until: Date.now() + LEASE_MS});
  }

  function use(key: string, holder: string, isKept: boolean): void {
    if (leases.get(key)?.holder !== holder) world.violate(`a process without its lease writes the sale ${key}`);
    if (isKept) leases.set(key, {holder, until: Date.now() + LEASE_MS});
    else leases.delete(key);
  }

  function reserve<T>(key: string, nonce: T): T {
    if (typeof nonce === 'number') reserving.set(nonce, {key, holder: leases.get(key)?.holder});
    return nonce;
  }

  /** Returns true if the process that reserved a nonce has still leased the sale. */
  function isWorking(nonce: number): boolean {
    const {key = '', holder} = reserving.get(nonce) ?? {};
    const lease = leases.get(key);
    return lease !== undefined && lease.holder === holder && lease.until >= Date.now();
  }

  const watched: Partial<Ledger> = {
    reserveNonce: async (signer, key, from) => reserve(key, await ledger.reserveNonce(signer, key, from)),
    reserveContractNonce: async (signer, key, from, spending) =>
      reserve(key, await ledger.reserveContractNonce(signer, key, from, spending)),
    async start(sale, holder, withinMs) {
      const isStarted = await ledger.start(sale, holder, withinMs);
      if (isStarted) grant(sale.key, holder);
      return isStarted;
    },
    async lease(key, holder, states) {
      const sale = await ledger.lease(key, holder, states);
      if (sale) grant(key, holder);
      if (sale && !states.includes(sale.state))
        world.violate(`the sale ${key} is ${sale.state}, and a process leases it`);
      return sale;
    },
    async renew(key, holder) {
      const isRenewed = await ledger.renew(key, holder);
      if (isRenewed) use(key, holder, true);
      return isRenewed;
    },
    async move(key, holder, move, keepLease) {
      const isMoved = await ledger.move(key, holder, move, keepLease);
      if (isMoved && move.to === 'declined' && world.chain.isPayable(key, world.payees))
        world.violate(`the sale ${key} is declined and can be charged`);
      if (isMoved) use(key, holder, keepLease === true);
      return isMoved;
    },
    async withdraw(key, holder) {
      await ledger.withdraw(key, holder);
      if (leases.get(key)?.holder === holder) leases.delete(key);
    },
    async addTransaction(signer, signed, transaction, cost) {
      await ledger.addTransaction(signer, signed, transaction, cost);
      const {nonce} = signed;
      const use = useOf(transaction);
      if ((world.uses.get(nonce) ?? use) !== use)
        world.violate(`a payment and a filler are recorded with the nonce ${nonce}`);
      if (use === 'filler' && isWorking(nonce))
        world.violate(`the nonce ${nonce} is filled while its payment is signed`);
      world.uses.set(nonce, use);
    },
  };
  return through(ledger, (call, name, args) => {
    const method = watched[name as keyof Ledger] as ((...args: unknown[]) => Promise<unknown>) | undefined;
    return method ? method(...args) : call();
  });
}

/** Returns what a signed transaction uses its nonce for. */
export function useOf(transaction: Hex): Use {
  return parseTransaction(transaction).data === undefined ? 'filler' : 'payment';
}
