import {InputError} from '../../../shared/fault.ts';
import {isOfDuckDb} from '../../rows/sql.ts';

/** The memory that a query may use, beside that of the tables, in GB as DuckDB counts them. */
export const MEMORY_GB = 1;

/** How long a query may take. */
export const SECONDS = 60;

export const MEMORY_RULE = `needs more than the ${MEMORY_GB}GB of memory that a query has`;
export const SECONDS_RULE = `takes longer than ${SECONDS} seconds`;

/** The line in which DuckDB suggests names for one that it does not find. */
const SUGGESTION = /^(Did you mean|Candidate bindings|Candidate Entries)\b/;

/** What is wrong with a query and, where it is one place, where: a character, from 1. */
export class QueryFault extends Error {
  readonly position: number | undefined;

  constructor(rule: string, position?: number, options?: ErrorOptions) {
    super(rule, options);
    this.name = 'QueryFault';
    this.position = position;
  }
}

/** This machine, today, does not answer the query. */
export class LimitFault extends QueryFault {}

/**
 * The fault of a product whose query failed: the error of the query or of DuckDB in one line. It is final where DuckDB is broken and
 * answers nothing more. Any other error is returned as it is.
 */
export function refusalOf(error: unknown, file: string, field?: string): unknown {
  if (!(error instanceof QueryFault || isOfDuckDb(error))) return error;
  const position = error instanceof QueryFault ? error.position : caretIn(error.message);
  const place = position === undefined ? '' : `at character ${position}: `;
  const final = /^(FATAL|INTERNAL) Error/.test(error.message);
  const ofMachine = final || error instanceof LimitFault || /^(Out of Memory|IO) Error/.test(error.message);
  return new InputError(
    {file, ...(field !== undefined && {field}), rule: `${place}${faultReason(error)}`},
    {cause: error, final, ofMachine},
  );
}

/** Whether DuckDB ran out of the memory and temporary files that it may use. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory');
}

/** DuckDB marks the place in the line it repeats with a caret; it repeats all of a short query. */
function caretIn(message: string): number | undefined {
  const [, before] = /^LINE 1: (?!\.\.\.).*\n {8}( *)\^/m.exec(message) ?? [];
  return before === undefined ? undefined : before.length + 1;
}

function faultReason(error: Error): string {
  if (isOutOfMemory(error)) return MEMORY_RULE;
  const [reason = '', ...more] = error.message.split('\n');
  if (reason.includes('max_expression_depth')) return 'is nested too deeply';
  const hint = more.find(line => SUGGESTION.test(line))?.replace(': : ', ': ');
  return hint === undefined ? reason.trim() : `${reason.trim()} ${hint}`;
}
