import type {Block, Line} from './blocks.ts';
import {shownKey} from './goods.ts';
import type {GoodsChange, ListChange, Row, Some, TextChange} from './report.ts';
import {say, type Words} from './words.ts';

/** Rows that came, went and changed. */
export function goodsLines(goods: GoodsChange | undefined): Block[] {
  if (!goods) return [];
  const {member, key, came, went, changed} = goods;
  const counts = [count(came, 'came'), count(went, 'went'), count(changed, 'changed')]
    .filter(text => text !== undefined)
    .join(', ');
  const by: Words = key.length > 0 ? say`, by ${key.join(', ')}` : [];
  return [
    {
      type: 'lines',
      title: [`${member}: ${counts}`, ...by, ...listing(goods)],
      lines: [
        ...linesOf('+', came, row => rowText(row, key)),
        ...linesOf('-', went, row => rowText(row, key)),
        ...linesOf('~', changed, ({key: id, columns}) => `${id}  ${columns.map(columnText).join('; ')}`),
      ],
    },
  ];
}

function count({total}: Some<unknown>, verb: string): string | undefined {
  return total === 0 ? undefined : `${total} ${verb}`;
}

/** Documents that do not list all of their rows say so. */
function listing({listed, total}: GoodsChange): string[] {
  const cut = (when: 'before' | 'after') => listed[when] !== total[when];
  return cut('before') || cut('after')
    ? [
        ` (lists ${listed.before ?? 0} of ${total.before ?? 0} before, ${listed.after ?? 0} of ${total.after ?? 0} after)`,
      ]
    : [];
}

/** The key, then the other columns. */
function rowText(row: Row, key: readonly string[]): string {
  const others = Object.entries(row).filter(([column]) => key.length > 0 && !key.includes(column));
  return [shownKey(row, key), ...others.map(([column, value]) => `${column} ${text(value)}`)].join('  ');
}

function columnText({column, before, after}: {column: string; before: unknown; after: unknown}): string {
  return `${column} ${text(before)} → ${text(after)}`;
}

function text(value: unknown): string {
  if (value === undefined) return '(none)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Entries of a list in a document that came and went. */
export function listLines({path, came, went}: ListChange): Block {
  const counts = [count(came, 'came'), count(went, 'went')].filter(words => words !== undefined).join(', ');
  const lines = [...linesOf('+', came, entry => entry), ...linesOf('-', went, entry => entry)];
  return {type: 'lines', title: [...say`${path}: `, counts === '' ? 'in another order' : counts], lines};
}

/** A text before and after. */
export function textLines({path, before, after}: TextChange): Block {
  const line = (sign: Line['sign'], value: string | undefined) => (value === undefined ? [] : [{sign, text: value}]);
  return {type: 'lines', title: [...say`${path}`, ':'], lines: [...line('-', before), ...line('+', after)]};
}

function linesOf<T>(sign: Line['sign'], {shown, total}: Some<T>, textOf: (item: T) => string): Line[] {
  const more = total - shown.length;
  const lines = shown.map(item => ({sign, text: textOf(item)}));
  return more > 0 ? [...lines, {sign: '…', text: `and ${more} more that ${VERBS[sign]}`}] : lines;
}

const VERBS = {'+': 'came', '-': 'went', '~': 'changed', '…': ''} as const;
