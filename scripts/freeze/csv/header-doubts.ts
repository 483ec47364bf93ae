import type {Fault} from '../../../shared/fault.ts';
import {quoted} from '../../../shared/command-line.ts';
import {invisibleRule, printable} from '../../../shared/printable.ts';
import {fieldName} from '../../../build/read/table-schema.ts';
import {MAX_COLUMNS} from '../../../build/read/limits.ts';
import {csvLine, type CsvRecord} from './records.ts';
import {dataLike, isLikeHeader} from './data-like.ts';
import type {CsvHead} from './delimiter.ts';

/** What options and the last schema say about a header. */
export interface DeclaredHeader {
  /** The line number in the publisher's file, from 1, at which the text starts. */
  readonly line: number;
  /** True if the publisher chose that line as the header with `--header-row`, so that doubts about its form do not apply. */
  readonly isNamed: boolean;
  /** The columns of the last freeze, if its schema is kept. */
  readonly expected: readonly string[] | undefined;
}

export type Doubt = Omit<Fault, 'code' | 'file'>;

/** The input of a rule. */
interface Header {
  readonly first: CsvRecord;
  readonly rows: readonly CsvRecord[];
  readonly width: number | undefined;
  /** The first line of the text. */
  readonly text: string;
  /** The option that makes the next plausible record the header, if there is one. */
  readonly next: string | undefined;
  /** The option that makes the first line the header. */
  readonly same: string;
  readonly expected: readonly string[] | undefined;
}

type Rule = (header: Header) => Omit<Doubt, 'line'> | undefined;

/**
 * Returns the reason why the first record of a CSV file cannot be its header, or probably is not, with the options that resolve it. Its
 * line counts from the start of the text. Undefined if there is no doubt.
 *
 * @param text the beginning of the file
 */
export function headerDoubt(text: string, {records, width}: CsvHead, declared: DeclaredHeader): Doubt | undefined {
  const {line, isNamed, expected} = declared;
  const [first, ...rows] = records;
  if (!first) return {line: 1, rule: 'holds nothing but blank lines: CSV starts with a header'};
  const optionFor = (record: CsvRecord) => `--header-row ${line + record.line - 1}`;
  if (first.line > 1) return {line: 1, rule: `is blank, not a header: add ${optionFor(first)}`};
  const next = rows.find(
    ({cells}) => isFilled(cells) && !isComment(cells[0]) && cells.length === (width ?? cells.length),
  );
  const header = {
    ...{first, rows, width, expected, text: text.split(/[\r\n]/, 1)[0] ?? '', same: `--header-row ${line}`},
    next: next && optionFor(next),
  };
  // With too many columns no names are compared or suggested, because a later check refuses the list.
  const isWide = first.cells.length > MAX_COLUMNS;
  const rules = isWide
    ? [unclosed]
    : isNamed
      ? [unclosed, empty, nameless, broken, unusable, repeated]
      : [unclosed, excel, empty, comment, uneven, nameless, broken, unusable, data, repeated, double];
  for (const rule of rules) {
    const found = rule(header);
    if (found) return {line: 1, ...found};
  }
  return undefined;
}

const unclosed: Rule = ({first: {isClosed, cells}}) =>
  isClosed
    ? undefined
    : {
        field: 'header',
        value: cells.at(-1)?.trimStart().slice(0, 80),
        rule: 'starts with a quotation mark that is not closed: close it, or remove it',
      };

const excel: Rule = ({text, next}) => {
  const [, separator = ''] = /^"?sep=(.)"?[,;|\t]*$/i.exec(text) ?? [];
  if (separator === '') return undefined;
  const delimiter = /[,;|\t]/.test(separator) ? ` --delimiter ${separator === '\t' ? 'tab' : quoted(separator)}` : '';
  return {
    value: text,
    rule: `is an instruction to Excel, not a header${next === undefined ? '' : `: add ${next}${delimiter}`}`,
  };
};

const empty: Rule = ({first, text, next}) =>
  isFilled(first.cells)
    ? undefined
    : {value: text, rule: `is an empty row, not a header${next === undefined ? '' : `: add ${next}`}`};

const comment: Rule = ({text, next, same}) => {
  if (!isComment(text)) return undefined;
  const above = next === undefined ? '' : `add ${next} if it is one, or `;
  return {value: text, rule: `looks like a comment, not like a header: ${above}${same} if it is the header`};
};

const uneven: Rule = ({first, rows, width, text, next, same}) => {
  const {length} = first.cells;
  const isOdd = width !== undefined && (length < width || !rows.some(({cells}) => cells.length >= length));
  if (!isOdd || next === undefined) return undefined;
  const columns = `${same} --columns ${quoted(csvLine(placeholders(width), ','))}`;
  const names =
    length > 1 && length < width && rows[0]?.cells.length === width
      ? `; if it is the header and names are missing, add ${columns}`
      : '';
  const values = length === 1 ? '1 value' : `${length} values`;
  const rule = `has ${values}, and most lines below have ${width}: if it is a title above the header, add ${next}${names}`;
  return {value: text, rule};
};

const nameless: Rule = ({first: {cells}, same}) => {
  const index = cells.findIndex(cell => cell.trim() === '');
  if (index < 0) return undefined;
  const cause =
    index === 0 && cells.length > 1
      ? 'has no name, as if pandas or R wrote its row numbers there: write the list without them (index=False, row.names=FALSE)'
      : 'has no name: name it in the list';
  return {
    field: `column ${index + 1}`,
    rule: `${cause}, or add ${same} --columns ${quoted(csvLine(named(cells), ','))}`,
  };
};

const broken: Rule = ({first: {cells}, same}) => {
  const index = cells.findIndex(cell => /[\r\n]/.test(cell));
  if (index < 0) return undefined;
  const columns = quoted(csvLine(named(cells), ','));
  const rule = `holds a line break, which the name of a column cannot have here: add ${same} --columns ${columns}`;
  return {field: `column ${index + 1}`, value: cells[index], rule};
};

const unusable: Rule = ({first: {cells}, same}) => {
  for (const [index, value] of cells.entries()) {
    const rule = invisibleRule(value) ?? (isName(value) ? undefined : `is not ${fieldName.description}: rename it`);
    if (rule === undefined) continue;
    const columns = quoted(csvLine(named(cells), ','));
    return {field: `column ${index + 1}`, value, rule: `${rule}, or add ${same} --columns ${columns}`};
  }
  return undefined;
};

const repeated: Rule = ({first: {cells}, same}) => {
  const names = cells.map(cell => cell.toLowerCase());
  const seen = new Set<string>();
  const index = names.findIndex(name => seen.size === seen.add(name).size);
  if (index < 0) return undefined;
  const columns = quoted(csvLine(named(cells), ','));
  const rule = `is the name of column ${names.indexOf(names[index] ?? '') + 1} as well (upper and lower case count as one): rename it in the list, or add ${same} --columns ${columns}`;
  return {field: `column ${index + 1}`, value: cells[index], rule};
};

const data: Rule = ({first, rows, same, expected}) => {
  const found = dataLike(first, rows);
  if (!found) return undefined;
  const {column, cell, words} = found;
  const {length} = first.cells;
  const columns = quoted(csvLine(expected?.length === length ? expected : placeholders(length), ','));
  const rule = `is ${words}, so the first line may be no header: add --columns ${columns} if the list has no header, or ${same} if this is the header`;
  return {field: `column ${column}`, value: cell, rule};
};

const double: Rule = ({first: {cells}, rows, text, next, same}) => {
  if (next === undefined || !isLikeHeader(rows)) return undefined;
  const both = `${next} --columns ${quoted(csvLine(named(cells), ','))}`;
  const rule = `is followed by a line unlike all others: add ${next} if that is the header, ${both} if it is a second line of the header, or ${same} if it is a row`;
  return {value: text, rule};
};

function isFilled(cells: readonly string[]): boolean {
  return cells.some(cell => cell.trim() !== '');
}

function isComment(text = ''): boolean {
  return /^\s*(#|\/\/|--|%)/.test(text);
}

function placeholders(count: number): string[] {
  return Array.from({length: count}, (_, index) => `column${index + 1}`);
}

function isName(text: string): boolean {
  return new RegExp(fieldName.pattern, 'u').test(text);
}

/** Returns valid column names, as close to the header as possible: one line, no invisible characters, all different. */
function named(cells: readonly string[]): string[] {
  const taken = new Set<string>();
  return cells.map((cell, index) => {
    const visible = Array.from(cell.replaceAll(/\s+/g, ' ')).filter(
      character => printable(character) === character && character !== '"',
    );
    const name = visible.slice(0, 90).join('').trim();
    const usable = isName(name) ? name : index === 0 ? 'index' : `column${index + 1}`;
    let free = usable;
    for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${usable}_${number}`;
    taken.add(free.toLowerCase());
    return free;
  });
}
