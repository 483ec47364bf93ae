import type {Field} from '../../build/read/data-package.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import type {Database} from '../../build/rows/database.ts';
import {relation} from '../../build/rows/relation.ts';

const SHOWN_ROWS = 5;

/** The first rows in the order of the file, as texts; null where nothing stands. */
export async function firstRows(
  database: Database,
  root: string,
  freeze: Freeze,
  fields: readonly Field[],
): Promise<readonly (readonly (string | null)[])[]> {
  const texts = fields.map((_, index) => `t${index}`).join(', ');
  const rows = await database.query(`SELECT ${texts} FROM (${relation(root, freeze, fields)}) LIMIT ${SHOWN_ROWS}`);
  return rows as readonly (readonly (string | null)[])[];
}
