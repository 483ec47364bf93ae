import type {Ledger} from './ledger.ts';

/** Methods that may succeed on a full disk or a read-only database, although nothing can be sold then. */
const READING: readonly (keyof Ledger)[] = ['find', 'list', 'bought', 'passes', 'archivedPart', 'reservations'];

type Methods = Record<keyof Ledger, (...asked: never[]) => Promise<unknown>>;

/** Wraps a ledger so that a failure is reported once, until the ledger can be written again. */
export function reported(ledger: Ledger, onTrouble: (error: unknown) => void): Ledger {
  let isBroken = false;
  return new Proxy(ledger, {
    get(target, name: keyof Ledger) {
      return async (...asked: never[]) => {
        try {
          const answer = await (target as unknown as Methods)[name](...asked);
          if (!READING.includes(name)) isBroken = false;
          return answer;
        } catch (error) {
          if (!isBroken) onTrouble(error);
          isBroken = true;
          throw error;
        }
      };
    },
  });
}
