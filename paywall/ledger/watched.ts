import type {Ledger} from './ledger.ts';

/** They may work on a full disk or a read-only database, where nothing is sold all the same. */
const READING: readonly (keyof Ledger)[] = ['find', 'list', 'bought', 'kept', 'numbers'];

type Methods = Record<keyof Ledger, (...asked: never[]) => Promise<unknown>>;

/** The same ledger, that tells once what keeps it from being read or written, until it is written again. */
export function watched(ledger: Ledger, onTrouble: (error: unknown) => void): Ledger {
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
