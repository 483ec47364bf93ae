import {InputError} from '../../../shared/fault.ts';
import {quoted} from '../../../shared/command-line.ts';
import type {DeclaredHeader} from './header-fault.ts';
import {recordsOf, type CsvRecord} from './records.ts';

const DELIMITERS = [',', ';', '\t', '|'];
/** How many records are read to decide. */
const MOST_RECORDS = 1000;

/** The beginning of a CSV file, split into records. */
export interface CsvHead {
  readonly delimiter: string;
  /** Complete records, except if the first one is incomplete. */
  readonly records: readonly CsvRecord[];
  /** The number of values that more than half of the records after the first have, if there is such a number. */
  readonly width: number | undefined;
}

/** The result of splitting the text by one delimiter. */
interface Cut extends CsvHead {
  /** The number of values in the first record. */
  readonly names: number;
  /** The share of the other records with as many values as the first, from 0 to 1; 1 without others. */
  readonly agreement: number;
  /** True if no value contains a stray quotation mark. */
  readonly isClean: boolean;
  /** The share of the other records with the usual number of values, from 0 to 1; 0 if they have one value. */
  readonly support: number;
}

/**
 * Finds the delimiter by the header and the rows below it. Throws `InputError` if two delimiters are equally likely.
 *
 * @param text the beginning of the file, without a byte order mark
 * @param isWhole true if that is the whole file
 * @param declared the delimiter, if an option or the file's name specifies it; and the columns of the last freeze, if its schema is kept: a
 * delimiter that results in these names is correct
 */
export function headOf(
  file: string,
  text: string,
  isWhole: boolean,
  {delimiter: given, expected}: Pick<DeclaredHeader, 'delimiter' | 'expected'>,
): CsvHead {
  const cuts = (given === undefined ? DELIMITERS : [given]).map(delimiter => cutBy(text, isWhole, delimiter));
  const [only, ...others] = cuts;
  if (only && others.length === 0) return only;
  const known = cuts.find(({records: [first]}) => expected && first?.cells.join('\n') === expected.join('\n'));
  if (known) return known;
  const likely = cuts.some(({names, isClean}) => names > 1 && isClean) ? cuts.filter(({isClean}) => isClean) : cuts;
  const fitting = likely.filter(({names, agreement}) => names > 1 && agreement > 0.5);
  const [best] = fitting;
  const isRival = (cut: Cut) => cut !== best && best && best.agreement < 1 && cut.support > best.agreement;
  const rivals = best ? [best, ...likely.filter(cut => fitting.slice(1).includes(cut) || isRival(cut))] : [];
  if (best && rivals.length === 1) return best;
  if (rivals.length > 1) throw tie(file, rivals);
  // The first record does not match the rows, as a title would not. Only the rows decide.
  const most = Math.max(...likely.map(({support}) => support));
  const splitting = likely.filter(({support}) => support === most && support > 0.5);
  if (splitting.length > 1) throw tie(file, splitting);
  const [chosen = likely.reduce((a, b) => (b.names > a.names ? b : a))] = splitting;
  return chosen;
}

function cutBy(text: string, isWhole: boolean, delimiter: string): Cut {
  const all = recordsOf(text, delimiter, MOST_RECORDS);
  const last = all.at(-1);
  const isCut = last?.isClosed === false || (!isWhole && last?.end === text.length);
  const records = isCut && all.length > 1 ? all.slice(0, -1) : all;
  const [first, ...others] = records;
  const counts = new Map<number, number>();
  for (const {cells} of others) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const shareOf = (count: number) => (others.length === 0 ? 0 : (counts.get(count) ?? 0) / others.length);
  const [usual = 1] = [...counts.keys()].sort((a, b) => shareOf(b) - shareOf(a) || b - a);
  const width = shareOf(usual) > 0.5 ? usual : undefined;
  const names = first?.cells.length ?? 0;
  return {
    delimiter,
    records,
    width,
    names,
    agreement: others.length === 0 ? 1 : shareOf(names),
    support: width === undefined || width === 1 ? 0 : shareOf(width),
    isClean: !records.some(({hasStray}) => hasStray),
  };
}

function tie(file: string, cuts: readonly Cut[]): InputError {
  const ways = cuts.map(({delimiter, names, width = names}) => `${JSON.stringify(delimiter)} (${width} columns)`);
  const options = cuts.map(({delimiter}) => `--delimiter ${delimiter === '\t' ? 'tab' : quoted(delimiter)}`);
  const rule = `can be split at ${ways.join(' and at ')}`;
  const fix = `Add ${options.map(option => `\`${option}\``).join(' or ')}.`;
  return new InputError({code: 'FZ122', file, line: 1, rule, fix});
}
