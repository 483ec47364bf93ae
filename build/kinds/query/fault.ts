import {InputError} from '../../../shared/fault.ts';
import {isOfDuckDb} from '../../rows/sql.ts';

/** The memory that a query may use, beside that of the tables, in GB as DuckDB counts them. */
export const MEMORY_GB = 1;

/** How long a query may take. */
export const SECONDS = 60;

/** What is wrong with a query and, where it is one place, where: a character, from 1. */
export class QueryFault extends Error {
  readonly position: number | undefined;

  constructor(rule: string, position?: number, options?: ErrorOptions) {
    super(rule, options);
    this.name = 'QueryFault';
    this.position = position;
  }
}

/** The fault of a product whose query failed: the error of the query or of DuckDB in one line. Any other error is returned as it is. */
export function refusalOf(error: unknown, file: string, field: string): unknown {
  if (!(error instanceof QueryFault || isOfDuckDb(error))) return error;
  const position = error instanceof QueryFault ? error.position : caretIn(error.message);
  const place = position === undefined ? '' : `at character ${position}: `;
  return new InputError({file, field, rule: `${place}${reasonOf(error)}`}, {cause: error});
}

/** Whether DuckDB ran out of the memory it may use. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory');
}

/** DuckDB marks the place in the line it repeats with a caret; it repeats all of a short query. */
function caretIn(message: string): number | undefined {
  const [, before] = /^LINE 1: (?!\.\.\.).*\n {8}( *)\^/m.exec(message) ?? [];
  return before === undefined ? undefined : before.length + 1;
}

function reasonOf(error: Error): string {
  if (isOutOfMemory(error)) return `needs more than the ${MEMORY_GB}GB of memory that a query has`;
  const [reason = ''] = error.message.split('\n');
  return reason.includes('max_expression_depth') ? 'is nested too deeply' : reason.trim();
}
