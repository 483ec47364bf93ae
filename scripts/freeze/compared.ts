import {isOfDuckDb, messageOf} from '../../build/rows/sql.ts';
import type {Comparison} from './compare.ts';

/** What changed against the last freeze, or why the two are not compared. */
export interface Compared {
  readonly comparison?: Comparison;
  readonly uncompared?: string;
}

/** A comparison is a service: a last freeze that cannot be read, or a list too long to join, does not stop a new one. */
export async function compared(work: () => Promise<Comparison | undefined>): Promise<Compared> {
  try {
    const comparison = await work();
    return comparison ? {comparison} : {uncompared: 'the two have no key in common'};
  } catch (error) {
    if (isOurs(error)) throw error;
    return {uncompared: messageOf(error as Error)};
  }
}

/** A question that the database does not understand is a bug; what else it says is about the files, or its memory. */
export function isOurs(error: unknown): boolean {
  return !isOfDuckDb(error) || /^(Parser|Catalog|Internal)/i.test(error.message);
}
