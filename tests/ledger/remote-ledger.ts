import type {Entries, Ledger} from '../../paywall/ledger/ledger.ts';

/** Calls a method of a ledger that runs elsewhere. */
export type Call = (method: string, args: readonly unknown[]) => Promise<unknown>;

/**
 * Returns a ledger that calls its methods in another process. JSON drops members that are undefined, so `find` adds
 * them again.
 */
export function remoteLedger(call: Call): Ledger {
  const find = async (...args: unknown[]) => {
    const {same, open, failed, sameIdentifier, collected} = (await call('find', args)) as Entries;
    return {same, open, failed, sameIdentifier, collected};
  };
  return new Proxy({} as Ledger, {
    get(_, name: string) {
      // Without `then`, so that the ledger can be awaited.
      if (name === 'then') return undefined;
      return name === 'find' ? find : (...args: unknown[]) => call(name, args);
    },
  });
}
