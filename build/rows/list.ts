import type {Database} from './database.ts';
import {relation, type Reading} from './relation.ts';
import type {Table} from './table.ts';

/** A table whose files a database reads. */
export interface List {
  readonly database: Database;
  readonly root: string;
  readonly table: Table;
}

/** SQL of its rows. */
export function rowsOf({root, table}: List, reading?: Reading): string {
  return relation(root, table.freeze, table.fields, reading);
}
