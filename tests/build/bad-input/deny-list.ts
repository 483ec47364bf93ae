import {DENY_CSV, DENY_SCHEMA} from '../site-fixture.ts';
import {below, DENY, type BadInput} from './bad-input.ts';

export const FOLDER = 'data/sources/deny-list/2026-05-01';

type Says = BadInput['says'];
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** The deny list in these files. */
export const split = (
  name: string,
  files: Files,
  says: Says,
  more: {format?: string; resource?: object} = {},
): BadInput => ({
  name,
  breaks: site => site.freeze({...DENY, files, ...more}),
  says: below(FOLDER, says),
});
/** The deny list, as CSV in one file. */
export const list = (name: string, csv: string | Uint8Array, says: Says, resource: object = {}): BadInput =>
  split(name, {'deny-list.csv': csv}, says, {resource});
/** The valid deny list and a row. */
export const rowed = (name: string, row: string, says: Says): BadInput => list(name, DENY_CSV + row, says);
/** A schema of the deny list with a third column. */
export const withColumn = (field: object) => ({schema: {...DENY_SCHEMA, fields: [...DENY_SCHEMA.fields, field]}});
