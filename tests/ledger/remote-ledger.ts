import type {Entries, Ledger} from '../../paywall/ledger/ledger.ts';

/** Calls a method of a ledger that runs elsewhere. */
export type Call = (method: string, args: readonly unknown[]) => Promise<unknown>;

/** A ledger whose methods are called in another process. JSON drops what is undefined. */
export function remoteLedger(call: Call): Ledger {
  const method =
    (name: string) =>
    (...args: unknown[]) =>
      call(name, args) as Promise<never>;
  return {
    claim: method('claim'),
    async find(...args) {
      const {same, open, declined, namesake} = (await call('find', args)) as Entries;
      return {same, open, declined, namesake};
    },
    withdraw: method('withdraw'),
    take: method('take'),
    renew: method('renew'),
    move: method('move'),
    confirm: method('confirm'),
    refund: method('refund'),
    list: method('list'),
    bought: method('bought'),
    signIn: method('signIn'),
    keepOn: method('keepOn'),
    keep: method('keep'),
    kept: method('kept'),
    forget: method('forget'),
    reserve: method('reserve'),
    addSigned: method('addSigned'),
    numbers: method('numbers'),
    close: method('close'),
  };
}
