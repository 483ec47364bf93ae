import type {ErrorCode} from '../../../shared/error-codes.ts';
import {InputError, type Fault} from '../../../shared/fault.ts';
import {isOfDuckDb} from '../../rows/sql.ts';

/** The memory of a query in addition to that of the tables, in GB of 10^9 bytes, as in DuckDB. */
export const MEMORY_GB = 1;

/** The time limit of a query. */
export const SECONDS = 60;

export const MEMORY_RULE = `needs more than the ${MEMORY_GB}GB of memory that a query has`;
export const SECONDS_RULE = `takes longer than ${SECONDS} seconds`;

/** The line in which DuckDB suggests similar names. */
const SUGGESTION = /^(Did you mean|Candidate bindings|Candidate Entries)\b/;

/** Remedies for the usual mistakes that DuckDB reports. */
const REMEDIES: readonly (readonly [message: RegExp, fix: string])[] = [
  [/Referenced column ".*" not found/, 'Correct the name of the column. A text needs single quotation marks.'],
  [/No function matches .*\bVARCHAR\b/, 'Cast texts to the type that the function needs, such as CAST(day AS DATE).'],
];

/** An error, as the end of a sentence, with its remedy if that of the error code is not enough. */
export type Refused = string | Pick<Fault, 'rule' | 'fix'>;

interface QueryErrorOptions extends Pick<InputError, 'cause'> {
  /** A character, from 1. */
  readonly position?: number | undefined;
  readonly code?: ErrorCode;
  readonly final?: boolean;
}

/** Returns an error in a query. `refusalOf` adds the product's file and the member. */
export function queryError(refused: Refused, options: QueryErrorOptions = {}): InputError {
  const {position, code = 'FZ301', ...more} = options;
  const {rule, fix} = typeof refused === 'string' ? {rule: refused, fix: undefined} : refused;
  const place = position === undefined ? '' : `is not accepted at character ${position}: `;
  return new InputError({code, rule: place + rule, fix}, {...more, ofMachine: code === 'FZ304'});
}

/** Returns an error in a query that gives columns, rows or values that documents cannot have. */
export function shapeError(refused: Refused): InputError {
  return queryError(refused, {code: 'FZ302'});
}

/**
 * Converts an error of the query or of DuckDB to an `InputError` about the product, in one line. It is final if DuckDB can no longer be
 * used. Returns any other error unchanged.
 */
export function refusalOf(error: unknown, file: string, field?: string): unknown {
  // An error of ours may quote a name that begins like an error of DuckDB.
  const cause = !(error instanceof InputError) && isOfDuckDb(error) ? ofDuckDb(error) : error;
  if (!(cause instanceof InputError)) return error;
  const placed = ({code, rule, fix}: Fault) => ({code, file, ...(field !== undefined && {field}), rule, fix});
  return new InputError(
    cause.faults.map(fault => (fault.file === undefined ? placed(fault) : fault)),
    {cause},
  );
}

function ofDuckDb(cause: Error): InputError {
  const {message} = cause;
  const final = /^(FATAL|INTERNAL) Error/.test(message);
  const code = final || /^(Out of Memory|IO) Error/.test(message) ? 'FZ304' : 'FZ301';
  const fix = REMEDIES.find(([pattern]) => pattern.test(message))?.[1];
  const rule = isOutOfMemory(cause) ? MEMORY_RULE : reasonIn(message);
  return queryError({rule, fix}, {position: caretIn(message), code, final, cause});
}

/** True if DuckDB exceeded its limit of memory and temporary files. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory');
}

/** DuckDB repeats the line and marks the position with a caret. It repeats a short query completely. */
function caretIn(message: string): number | undefined {
  const [, before] = /^LINE 1: (?!\.\.\.).*\n {8}( *)\^/m.exec(message) ?? [];
  return before === undefined ? undefined : before.length + 1;
}

/** Returns the reason in a message of DuckDB, in one line and without a full stop, which the message about the product adds. */
export function reasonIn(message: string): string {
  const [reason = '', ...more] = message.split('\n');
  if (reason.includes('max_expression_depth')) return 'is nested too deeply';
  const hint = more.find(line => SUGGESTION.test(line))?.replace(': : ', ': ');
  return hint === undefined ? reason.trim().replace(/\.$/, '') : `${reason.trim()} ${hint}`;
}
