import {counted} from '../../shared/counted.ts';
import {seenText} from '../../shared/english.ts';
import {diff, type Block} from './blocks.ts';
import {shownKey} from './rows.ts';
import type {RowsChange, ListChange, Row, Some, TextChange} from './report.ts';
import {own, say, shownText} from './words.ts';

/** Returns the added, removed and changed rows, or objects of another list. */
export function rowLines({member, key, listed, total, added, removed, changed, everywhere}: RowsChange): Block[] {
  const by = key.length > 0 ? say`, by ${key.join(', ')}` : [];
  const all = listed.before === total.before && listed.after === total.after;
  const counts = ` (lists ${listed.before} of ${total.before} before, ${listed.after} of ${total.after} after)`;
  return diff(
    [
      ...say`${member}: `,
      ...own(countsOf({added, removed, changed}, everywhere.length) || 'columns in another order'),
      ...by,
      ...own(all ? '' : counts),
    ],
    [
      ...everywhere.map(({column, before, after}) => `! ${shownText(inEveryRow(column, before, after))}`),
      ...lines('+', 'added', added, row => rowText(row, key)),
      ...lines('-', 'removed', removed, row => rowText(row, key)),
      ...lines('!', 'changed', changed, ({key: id, columns}) => {
        const moves = columns.map(({column, before, after}) => `${column} ${text(before)} → ${text(after)}`);
        return `${seenText(id)}  ${moves.join('; ')}`;
      }),
    ],
  );
}

/** `3 added, 1 removed`, with the number of columns that changed in all rows. */
function countsOf(counts: Readonly<Record<string, Some<unknown>>>, columns = 0): string {
  const some = Object.entries(counts).filter(([, {total}]) => total > 0);
  const everywhere = columns > 0 ? [`${counted(columns, 'column')} changed in every row`] : [];
  return [...some.map(([verb, {total}]) => `${total} ${verb}`), ...everywhere].join(', ');
}

function inEveryRow(column: string, before: unknown, after: unknown): string {
  return `${column} changed in every row, in the first ${text(before)} → ${text(after)}`;
}

/** Returns the key, then the other columns. */
function rowText(row: Row, key: readonly string[]): string {
  const others = Object.entries(row).filter(([column]) => key.length > 0 && !key.includes(column));
  return [seenText(shownKey(row, key)), ...others.map(([column, value]) => `${column} ${text(value)}`)].join('  ');
}

function text(value: unknown): string {
  if (value === undefined) return '(none)';
  return typeof value === 'string' ? seenText(value) : JSON.stringify(value);
}

/** Returns the added and removed entries of a list in a document. */
export function listLines({path, added, removed}: ListChange): Block[] {
  const counts = countsOf({added, removed}) || 'in another order';
  return diff(
    [...say`${path}: `, ...own(counts)],
    [...lines('+', 'added', added, String), ...lines('-', 'removed', removed, String)],
  );
}

/** Returns a text before and after. */
export function textLines({path, before, after}: TextChange): Block[] {
  const line = (sign: string, value: string | undefined) =>
    value === undefined ? [] : [`${sign} ${shownText(value)}`];
  return diff(say`${path}:`, [...line('-', before), ...line('+', after)]);
}

function lines<T>(sign: string, verb: string, {shown, total}: Some<T>, textOf: (item: T) => string): string[] {
  const more = total - shown.length;
  return [
    ...shown.map(item => `${sign} ${shownText(textOf(item))}`),
    ...(more > 0 ? [`# and ${more} more ${verb}`] : []),
  ];
}
