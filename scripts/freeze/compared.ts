import {isOfDuckDb, messageOf} from '../../build/rows/sql.ts';
import type {Comparison} from './compare.ts';

/** The comparison with the last freeze, or the reason why there is none. */
export interface Compared {
  readonly comparison?: Comparison;
  readonly uncompared?: string;
}

/** Runs a comparison. It is optional, so a last freeze that cannot be read, or running out of memory, does not prevent a new freeze. */
export async function compared(work: () => Promise<Comparison | undefined>): Promise<Compared> {
  try {
    const comparison = await work();
    return comparison ? {comparison} : {uncompared: 'the two have no key in common'};
  } catch (error) {
    if (isOurs(error)) throw error;
    return {uncompared: messageOf(error as Error)};
  }
}

/** True if an error is a bug: not from DuckDB, or about the query itself. Other DuckDB errors are about files or memory. */
export function isOurs(error: unknown): boolean {
  return !isOfDuckDb(error) || /^(Parser|Catalog|Internal)/i.test(error.message);
}
