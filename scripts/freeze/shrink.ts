import {InputError} from '../../shared/fault.ts';
import {readEvents} from '../../build/kinds/event-bundle.ts';
import type {Freeze} from '../../build/read/freezes.ts';
import {openDatabase} from '../../build/rows/database.ts';
import {relation} from '../../build/rows/relation.ts';
import {isOfDuckDb} from '../../build/rows/sql.ts';
import type {Order} from './order.ts';
import type {TakenList} from './take-list.ts';

/** Throws `InputError` if a list is empty or has less than half the rows of the previous freeze, unless `--allow-shrink` is given. */
export async function refuseShrink(
  {allowShrink, root}: Order,
  {files}: TakenList,
  rows: number,
  previous: Freeze | undefined,
): Promise<void> {
  if (allowShrink) return;
  const before = previous && (await countOf(root, previous));
  if (rows > 0 && (before === undefined || rows * 2 >= before)) return;
  const compared = previous && before !== undefined ? `, and the freeze of ${previous.date} has ${before}` : '';
  const rule = `has ${rows} ${rows === 1 ? 'row' : 'rows'}${compared}: add --allow-shrink if this is right`;
  throw new InputError({code: 'FZ123', file: files.map(({origin}) => origin).join(', '), rule});
}

/** Returns the number of rows of a freeze, or undefined if it is neither declared nor countable. */
async function countOf(root: string, freeze: Freeze): Promise<number | undefined> {
  if (freeze.rows !== undefined) return freeze.rows;
  if (!freeze.schema) return readEvents(freeze).length;
  const database = await openDatabase(root);
  try {
    const [cells] = await database.query(`SELECT count(*) FROM (${relation(freeze, freeze.schema.fields)})`);
    return Number(cells?.[0]);
  } catch (error) {
    if (!isOfDuckDb(error)) throw error;
    return undefined;
  } finally {
    database.close();
  }
}
