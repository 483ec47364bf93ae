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

/** An error in a query, with its position (a character, from 1) if there is one. */
export class QueryFault extends Error {
  readonly position: number | undefined;
  readonly code: ErrorCode;
  readonly fix: string | undefined;

  constructor(
    refused: Refused,
    position?: number,
    {code = 'FZ301', ...options}: ErrorOptions & {code?: ErrorCode} = {},
  ) {
    const {rule, fix} = typeof refused === 'string' ? {rule: refused, fix: undefined} : refused;
    super(rule, options);
    this.name = 'QueryFault';
    this.position = position;
    this.code = code;
    this.fix = fix;
  }
}

/** The query returns columns, rows or values that documents cannot have. */
export class ShapeFault extends QueryFault {
  constructor(refused: Refused) {
    super(refused, undefined, {code: 'FZ302'});
  }
}

/**
 * Converts an error of the query or of DuckDB to an `InputError` about the product, in one line. It is final if DuckDB can no longer be
 * used. Returns any other error unchanged.
 */
export function refusalOf(error: unknown, file: string, field?: string): unknown {
  if (!(error instanceof QueryFault || isOfDuckDb(error))) return error;
  const {position, fix} =
    error instanceof QueryFault
      ? error
      : {position: caretIn(error.message), fix: REMEDIES.find(([message]) => message.test(error.message))?.[1]};
  const place = position === undefined ? '' : `is not accepted at character ${position}: `;
  const final = /^(FATAL|INTERNAL) Error/.test(error.message);
  const exceeds = final || /^(Out of Memory|IO) Error/.test(error.message);
  const code = error instanceof QueryFault ? error.code : exceeds ? 'FZ304' : 'FZ301';
  return new InputError(
    {code, file, ...(field !== undefined && {field}), rule: `${place}${faultReason(error)}`, fix},
    {cause: error, final, ofMachine: code === 'FZ304'},
  );
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

function faultReason(error: Error): string {
  if (isOutOfMemory(error)) return MEMORY_RULE;
  const [reason = '', ...more] = error.message.split('\n');
  if (reason.includes('max_expression_depth')) return 'is nested too deeply';
  const hint = more.find(line => SUGGESTION.test(line))?.replace(': : ', ': ');
  // The message about the product adds the full stop.
  return hint === undefined ? reason.trim().replace(/\.$/, '') : `${reason.trim()} ${hint}`;
}
