import {priceOf} from '../../shared/price.ts';
import type {Block} from './blocks.ts';
import {
  differenceOf,
  relativeOf,
  shownDifference,
  shownNumber,
  shownNumbers,
  shownPoints,
  shownRelative,
} from './numbers.ts';
import type {Both, FigureChange, ProductReview, Scalar} from './report.ts';
import {shown, type Words} from './words.ts';

const DAY_MS = 86_400_000;
const MICRO = 1_000_000;

const HEAD = ['before', 'after', 'difference', 'relative'];

/** Price, as_of and figures, before → after. */
export function factTable({price, as_of, figures, figures_unchanged: same}: ProductReview): Block {
  const rest = same > 0 ? [[[`${same} more unchanged`], [], [], [], []]] : [];
  return {type: 'table', head: ['', ...HEAD], rows: [priceRow(price), asOfRow(as_of), ...figureRows(figures), ...rest]};
}

/** The figures of a point of the history that changed. */
export function pastTable({as_of, figures}: ProductReview['past'][number]): Block {
  const date: Words[] = [['at'], [], shown(as_of), [], []];
  return {type: 'table', head: ['history', ...HEAD], rows: [date, ...figureRows(figures)]};
}

function figureRows(figures: readonly FigureChange[]): Words[][] {
  return grouped(figures).map(figureRow);
}

function priceRow({before, after}: Both<string>): Words[] {
  const row = (...rest: Words[]) => [['price'], optional(before), optional(after), ...rest];
  if (before === undefined || after === undefined || before === after) return row([], []);
  const [was, is] = [priceOf(before).micros / MICRO, priceOf(after).micros / MICRO];
  const difference = differenceOf(was, is);
  return row([`${difference < 0 ? '-' : '+'}$${shownNumber(Math.abs(difference))}`], relative(relativeOf(was, is)));
}

function asOfRow({before, after}: Both<string>): Words[] {
  const days = before === undefined || after === undefined ? 0 : (Date.parse(after) - Date.parse(before)) / DAY_MS;
  const difference: Words =
    days === 0 || Number.isNaN(days) ? [] : [`${shownDifference(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`];
  return [['as_of'], optional(before), optional(after), difference, []];
}

interface Grouped extends FigureChange {
  /** Paths of members that carry the same figure: the specification has some twice. */
  readonly also: readonly string[];
}

/** Figures with the same name that changed alike, `counts.fraud` and `class_mix.fraud`, stand in one row. */
function grouped(figures: readonly FigureChange[]): Grouped[] {
  const groups = new Map<string, FigureChange[]>();
  for (const figure of figures) {
    const id = JSON.stringify([figure.path.split('.').at(-1), figure.before, figure.after]);
    groups.set(id, [...(groups.get(id) ?? []), figure]);
  }
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first ? [{...first, also: rest.map(({path}) => path)}] : [],
  );
}

function figureRow({path, also, before, after, share, difference, relative: change}: Grouped): Words[] {
  const name: Words = [...shown(path), ...also.flatMap((other): Words => [', ', {data: other}])];
  const moved = difference === undefined ? [] : [share ? shownPoints(difference) : shownDifference(difference)];
  return [name, ...values(before, after), moved, relative(change)];
}

function values(before: Scalar | undefined, after: Scalar | undefined): Words[] {
  if (typeof before === 'number' && typeof after === 'number') return shownNumbers(before, after).map(text => [text]);
  return [before, after].map(value => {
    if (value === undefined) return [];
    return typeof value === 'number' ? [shownNumber(value)] : shown(String(value));
  });
}

function relative(change: number | undefined): Words {
  return change === undefined ? [] : [shownRelative(change)];
}

function optional(value: string | undefined): Words {
  return value === undefined ? [] : shown(value);
}
