import {table, type Block, type Cell} from './blocks.ts';
import type {Both, Scalar} from './compare.ts';
import {moveOf, percentWords, shownNumber, shownPoints, signedWords} from './numbers.ts';
import type {FigureChange, ProductReview} from './report.ts';
import {listed, say} from './words.ts';

const DAY_MS = 86_400_000;

const HEAD = ['before', 'after', 'difference', 'relative'];

/** Returns a table of price, as_of and figures, before and after. */
export function factTable({price, as_of, figures, figures_unchanged: same}: ProductReview): Block {
  const rest = same > 0 ? [[`${same} more unchanged`, '', '', '', '']] : [];
  return table(['', ...HEAD], [priceRow(price), asOfRow(as_of), ...figureRows(figures), ...rest]);
}

/** Returns a table of the changed figures at a point of the history. */
export function pastTable({as_of, figures}: ProductReview['past'][number]): Block {
  return table(['history', ...HEAD], [['at', '', say`${as_of}`, '', ''], ...figureRows(figures)]);
}

function priceRow({before, after}: Both<string>): Cell[] {
  const row = ['price', say`${before}`, say`${after}`];
  if (before === undefined || after === undefined || before === after) return [...row, '', ''];
  const {difference, relative = 0} = moveOf(Number(before.slice(1)), Number(after.slice(1)));
  return [...row, signedWords(difference).replace(/^[+-]/, '$&$'), percentWords(relative)];
}

function asOfRow({before, after}: Both<string>): Cell[] {
  const days = (Date.parse(after ?? '') - Date.parse(before ?? '')) / DAY_MS || 0;
  const moved = days === 0 ? '' : `${signedWords(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  return ['as_of', say`${before}`, say`${after}`, moved, ''];
}

/**
 * Puts figures with the same name and change in one row, such as `counts.fraud` and `class_mix.fraud`: the specification repeats some
 * figures.
 */
function figureRows(figures: readonly FigureChange[]): Cell[][] {
  const groups = new Map<string, FigureChange[]>();
  for (const figure of figures) {
    const id = JSON.stringify([figure.path.split('.').at(-1), figure.before, figure.after]);
    groups.set(id, [...(groups.get(id) ?? []), figure]);
  }
  return [...groups.values()].flatMap(alike => alike.slice(0, 1).map(figure => figureRow(figure, alike)));
}

function figureRow({before, after, share, difference, relative}: FigureChange, alike: readonly FigureChange[]): Cell[] {
  return [
    listed(alike.map(({path}) => path)),
    valueWords(before, after),
    valueWords(after, before),
    difference === undefined ? '' : share ? shownPoints(difference) : signedWords(difference),
    relative === undefined ? '' : percentWords(relative),
  ];
}

function valueWords(value: Scalar | undefined, other: Scalar | undefined): Cell {
  return typeof value === 'number' ? shownNumber(value, other) : say`${value}`;
}
