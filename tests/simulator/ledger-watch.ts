import {parseTransaction} from 'viem';
import {LEASE_MS, type Ledger} from '../../paywall/ledger/ledger.ts';
import type {Sale} from '../../paywall/ledger/sale.ts';
import {through} from './ledger.ts';
import type {World} from './world.ts';

/** What is checked after a method of the ledger: its result and arguments. */
type Checks = {
  [Name in keyof Ledger]?: (result: Awaited<ReturnType<Ledger[Name]>>, ...args: Parameters<Ledger[Name]>) => void;
};

/** Reports what no process may do to the ledger: two leases of a sale, writes without a lease, nonces that are used twice, and so on. */
export function watchLedger(ledger: Ledger, world: World): Ledger {
  const reserving = new Map<number, {readonly key: string; readonly holder: string | undefined}>();
  const leases = new Map<string, {readonly holder: string; readonly until: number; readonly sale?: Sale | undefined}>();
  const settled = new Set<string>();
  /** Keys and idempotency keys of payments that collected a document. */
  const collectedWith = new Set<string | null>();

  function grant(key: string, holder: string, sale?: Sale): void {
    const lease = leases.get(key);
    if (lease && lease.holder !== holder && lease.until >= Date.now())
      world.violate(`two processes lease the sale ${key}`);
    leases.set(key, {holder, until: Date.now() + LEASE_MS, sale});
  }

  function use(key: string, holder: string, isKept: boolean): void {
    if (leases.get(key)?.holder !== holder) world.violate(`a process without its lease writes the sale ${key}`);
    if (isKept) leases.set(key, {holder, until: Date.now() + LEASE_MS, sale: leases.get(key)?.sale});
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
    start(isStarted, {key, paymentId}, holder) {
      if (!isStarted) return;
      grant(key, holder);
      if (collectedWith.has(key) || collectedWith.has(paymentId))
        world.violate(`the payment of the sale ${key} has collected a document`);
    },
    find({open, failed}) {
      // Without a node, anyone can start an unproven sale to a payer. It must not keep the payer from buying.
      const unproven = [open, ...failed].find(sale => sale?.isProven === false);
      if (unproven) world.violate(`the unproven sale ${unproven.key} counts as a sale to its payer`);
    },
    recordCollection(_, {key, paymentId}) {
      collectedWith.add(key);
      if (paymentId !== null) collectedWith.add(paymentId);
    },
    lease(sale, key, holder, states) {
      if (!sale) return;
      grant(key, holder, sale);
      if (!states.includes(sale.state)) world.violate(`the sale ${key} is ${sale.state}, and a process leases it`);
    },
    renew(isRenewed, key, holder) {
      if (isRenewed) use(key, holder, true);
    },
    move(isMoved, key, holder, {to}, keepLease = false) {
      if (!isMoved) return;
      if (to === 'declined' && world.chain.isPayable(key, world.payees))
        world.violate(`the sale ${key} is declined and can be charged`);
      const {state, deliveredAt, refund} = leases.get(key)?.sale ?? {};
      const isOwed = state === 'settled' && deliveredAt === null && refund === null;
      if (to === 'unpaid' && isOwed && world.chain.isPayable(key, world.payees))
        world.violate(`the sale ${key} is given up, though its document was not sent and it can be charged`);
      use(key, holder, keepLease);
      settled[to === 'settled' ? 'add' : 'delete'](key);
    },
    withdraw(_, key, holder) {
      if (leases.get(key)?.holder === holder) leases.delete(key);
    },
    addTransaction(_, _signer, {nonce, transactions}, transaction) {
      const use = parseTransaction(transaction).data === undefined ? 'filler' : 'payment';
      const before = world.signed.get(nonce) ?? {use, count: 0};
      if (before.use !== use) world.violate(`a payment and a filler are recorded with the nonce ${nonce}`);
      if (before.count !== transactions.length)
        world.violate(`a transaction with the nonce ${nonce} is no longer recorded`);
      if (use === 'filler' && isWorking(nonce))
        world.violate(`the nonce ${nonce} is filled while its payment is signed`);
      world.signed.set(nonce, {use, count: before.count + 1});
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
