import type {Ledger} from './ledger.ts';

/** Methods that only read, or often change no row: they may succeed on a full disk although no sale can be recorded. */
const READS: readonly (keyof Ledger)[] = [
  'find',
  'time',
  'list',
  'bought',
  'passes',
  'isArchived',
  'archivedParts',
  'archivedPart',
  'reservations',
  'contractRefusal',
];

type Methods = Record<keyof Ledger, (...args: never[]) => Promise<unknown>>;

/** Wraps a ledger so that failures are reported once, until a write succeeds again. */
export function reported(ledger: Ledger, onTrouble: (error: unknown) => void): Ledger {
  let isBroken = false;
  return new Proxy(ledger, {
    get(target, name: keyof Ledger) {
      return async (...args: never[]) => {
        try {
          const result = await (target as unknown as Methods)[name](...args);
          if (!READS.includes(name)) isBroken = false;
          return result;
        } catch (error) {
          if (!isBroken) onTrouble(error);
          isBroken = true;
          throw error;
        }
      };
    },
  });
}
