import {parseTransaction} from 'viem';
import {LEASE_MS, type Ledger} from '../../paywall/ledger/ledger.ts';
import {through} from './ledger.ts';
import type {World} from './world.ts';

/** What is checked after a method of the ledger: its result and arguments. */
type Checks = {
  [Name in keyof Ledger]?: (result: Awaited<ReturnType<Ledger[Name]>>, ...args: Parameters<Ledger[Name]>) => void;
};

/** Reports two leases of a sale, writes without a lease, declined sales that can still be charged, and nonces that are used twice. */
export function watchLedger(ledger: Ledger, world: World): Ledger {
  const reserving = new Map<number, {readonly key: string; readonly holder: string | undefined}>();
  const leases = new Map<string, {readonly holder: string; readonly until: number}>();
  const settled = new Set<string>();

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

  function reserve(nonce: unknown, _signer: unknown, key: string): void {
    if (typeof nonce === 'number') reserving.set(nonce, {key, holder: leases.get(key)?.holder});
  }

  /** Returns true if the process that reserved a nonce has still leased the sale, and has not settled it with another nonce. */
  function isWorking(nonce: number): boolean {
    const {key = '', holder} = reserving.get(nonce) ?? {};
    const lease = leases.get(key);
    return !settled.has(key) && lease !== undefined && lease.holder === holder && lease.until >= Date.now();
  }

  const checks: Checks = {
    reserveNonce: reserve,
    reserveContractNonce: reserve,
    start(isStarted, {key}, holder) {
      if (isStarted) grant(key, holder);
    },
    lease(sale, key, holder, states) {
      if (!sale) return;
      grant(key, holder);
      if (!states.includes(sale.state)) world.violate(`the sale ${key} is ${sale.state}, and a process leases it`);
    },
    renew(isRenewed, key, holder) {
      if (isRenewed) use(key, holder, true);
    },
    move(isMoved, key, holder, {to}, keepLease = false) {
      if (!isMoved) return;
      if (to === 'declined' && world.chain.isPayable(key, world.payees))
        world.violate(`the sale ${key} is declined and can be charged`);
      use(key, holder, keepLease);
      settled[to === 'settled' ? 'add' : 'delete'](key);
    },
    withdraw(_, key, holder) {
      if (leases.get(key)?.holder === holder) leases.delete(key);
    },
    addTransaction(_, _signer, {nonce}, transaction) {
      const use = parseTransaction(transaction).data === undefined ? 'filler' : 'payment';
      if ((world.uses.get(nonce) ?? use) !== use)
        world.violate(`a payment and a filler are recorded with the nonce ${nonce}`);
      if (use === 'filler' && isWorking(nonce))
        world.violate(`the nonce ${nonce} is filled while its payment is signed`);
      world.uses.set(nonce, use);
    },
  };
  return through(ledger, (call, name, args) => {
    const check = checks[name as keyof Ledger] as ((...args: unknown[]) => void) | undefined;
    if (!check) return call();
    return call().then(result => {
      check(result, ...args);
      return result;
    });
  });
}
