import type {Fault} from '../../../shared/fault.ts';
import {quoted} from '../../../shared/command-line.ts';
import {MAX_COLUMNS} from '../../../build/read/limits.ts';
import {nameRule, placeholders, validNames} from '../column-names.ts';
import {csvLine, type CsvRecord} from './records.ts';
import {dataLike, isLikeHeader} from './data-like.ts';
import {completeHeader, isComment, isFilled, nextHeader, uncommented} from './next-header.ts';
import type {CsvHead} from './delimiter.ts';

/** The facts about a header from the options, the file's name and the last schema. */
export interface DeclaredHeader {
  readonly delimiter: string | undefined;
  /** The line number in the publisher's file, from 1, at which the text starts. */
  readonly line: number;
  /** True if the publisher chose that line as the header with `--header-row`, so that its form is not checked. */
  readonly isNamed: boolean;
  /** The columns of the last freeze, if its schema is kept. */
  readonly expected: readonly string[] | undefined;
}

export type HeaderFault = Omit<Fault, 'code' | 'file'>;

/** The input of a rule. */
interface Header {
  readonly cells: readonly string[];
  readonly isClosed: boolean;
  readonly rows: readonly CsvRecord[];
  readonly width: number | undefined;
  /** The first line of the text. */
  readonly text: string;
  /** The option that makes the next plausible record the header, if there is one. */
  readonly next: string | undefined;
  /** If that record is a comment, the option with its names, after a space. Otherwise empty. */
  readonly names: string;
  /** The option that makes the first record with a value for each column the header, if the first line lacks names. */
  readonly complete: string | undefined;
  /** The option that makes the first line the header. */
  readonly same: string;
  /** The option with valid names for all columns. */
  readonly columns: string;
  readonly expected: readonly string[] | undefined;
}

type Rule = (header: Header) => Omit<HeaderFault, 'line'> | undefined;

/**
 * Returns the reason why the first record of a CSV file cannot be its header, or probably is not, with the options that resolve it. Its
 * line counts from the start of the text. Undefined if it can be the header.
 *
 * @param text the beginning of the file
 */
export function headerFault(
  text: string,
  {records, width}: CsvHead,
  declared: DeclaredHeader,
): HeaderFault | undefined {
  const {line, isNamed, expected} = declared;
  const [first, ...rows] = records;
  if (!first) return {line: 1, rule: 'has only blank lines, and CSV starts with a header'};
  const {cells, isClosed} = first;
  const optionFor = (record: CsvRecord) => `--header-row ${line + record.line - 1}`;
  if (first.line > 1) return {line: 1, rule: 'is blank, not a header', fix: `Add \`${optionFor(first)}\`.`};
  const next = nextHeader(rows, width);
  const complete = completeHeader(cells, rows);
  const header = {
    ...{cells, isClosed, rows, width, expected, text: text.split(/[\r\n]/, 1)[0] ?? '', same: `--header-row ${line}`},
    next: next && optionFor(next),
    complete: complete && optionFor(complete),
    names: next && isComment(next.cells[0]) ? ` ${columnsOption(validNames(uncommented(next)))}` : '',
    columns: columnsOption(validNames(cells)),
  };
  // With too many columns no names are compared or suggested, because a later check refuses the list.
  const isWide = cells.length > MAX_COLUMNS;
  const rules = isWide
    ? [unclosed]
    : isNamed
      ? [unclosed, empty, sparse, unusable, repeated]
      : [unclosed, excel, empty, comment, uneven, sparse, data, unusable, repeated, double];
  for (const rule of rules) {
    const found = rule(header);
    if (found) return {line: 1, ...found};
  }
  return undefined;
}

const unclosed: Rule = ({isClosed, cells}) =>
  isClosed
    ? undefined
    : {
        field: 'header',
        value: cells.at(-1)?.trimStart().slice(0, 80),
        rule: 'starts with a quotation mark that is not closed',
        fix: 'Close it, or remove it.',
      };

const excel: Rule = ({text, next}) => {
  const [, separator = ''] = /^"?sep=(.)"?[,;|\t]*$/i.exec(text) ?? [];
  if (separator === '') return undefined;
  const delimiter = /[,;|\t]/.test(separator) ? ` --delimiter ${separator === '\t' ? 'tab' : quoted(separator)}` : '';
  return {value: text, rule: 'is an instruction to Excel, not a header', fix: next && `Add \`${next}${delimiter}\`.`};
};

const empty: Rule = ({cells, text, next}) =>
  isFilled(cells) ? undefined : {value: text, rule: 'is an empty row, not a header', fix: next && `Add \`${next}\`.`};

const comment: Rule = ({text, next, names, same}) => {
  if (!isComment(text)) return undefined;
  const fix = `Add ${next === undefined ? '' : `\`${next}${names}\` if it is one, or `}\`${same}\` if it is the header.`;
  return {value: text, rule: 'looks like a comment, not like a header', fix};
};

const uneven: Rule = ({cells: {length}, rows, width, text, next, same}) => {
  const isOdd = width !== undefined && (length < width || !rows.some(({cells}) => cells.length >= length));
  if (!isOdd || next === undefined) return undefined;
  const names =
    length > 1 && length < width && rows[0]?.cells.length === width
      ? ` If it is the header and names are missing, add \`${same} ${columnsOption(placeholders(width))}\`.`
      : '';
  const values = length === 1 ? '1 value' : `${length} values`;
  const rule = `has ${values}, and most lines below have ${width}`;
  return {value: text, rule, fix: `If it is a title above the header, add \`${next}\`.${names}`};
};

/** Spreadsheets write a title, or merged cells above the header, with empty values up to the last column. */
const sparse: Rule = ({text, complete, same, columns}) => {
  if (complete === undefined) return undefined;
  const fix = `If it is above the header, add \`${complete}\`. If it is the header, add \`${same} ${columns}\`.`;
  return {value: text, rule: 'does not name all columns', fix};
};

const ROW_NUMBERS = 'is unnamed, as if pandas or R wrote its row numbers there';
const WITHOUT_NUMBERS = 'Write the list without them (index=False, row.names=FALSE)';

const unusable: Rule = ({cells, same, columns}) => {
  for (const [index, value] of cells.entries()) {
    const [rule, fix] = nameFault(value, index === 0 && cells.length > 1) ?? [];
    if (rule !== undefined)
      return {
        field: `column ${index + 1}`,
        ...(value.trim() === '' ? {} : {value}),
        rule,
        fix: `${fix ?? 'Rename it in the list'}, or add \`${same} ${columns}\`.`,
      };
  }
  return undefined;
};

/** Returns what is wrong with the name of a column, and the start of the remedy if that is not to rename the column. */
function nameFault(value: string, isFirst: boolean): [rule: string, fix?: string] | undefined {
  if (value.trim() === '') return isFirst ? [ROW_NUMBERS, WITHOUT_NUMBERS] : ['is unnamed', 'Name it in the list'];
  if (/[\r\n]/.test(value)) return ['has a line break, which is not allowed in the name of a column'];
  const rule = nameRule(value);
  return rule === undefined ? undefined : [rule];
}

const repeated: Rule = ({cells, same, columns}) => {
  const names = cells.map(cell => cell.toLowerCase());
  const index = names.findIndex((name, at) => names.indexOf(name) < at);
  if (index < 0) return undefined;
  const rule = `is also the name of column ${names.indexOf(names[index] ?? '') + 1} (upper and lower case count as equal)`;
  const fix = `Rename it in the list, or add \`${same} ${columns}\`.`;
  return {field: `column ${index + 1}`, value: cells[index], rule, fix};
};

const data: Rule = header => {
  const {cells, rows, same, columns, expected} = header;
  // Another check reports rows that repeat the whole header.
  const isHeader = (row: CsvRecord) => cells.length > 1 && row.cells.join('\n') === cells.join('\n');
  const found = dataLike(
    cells,
    rows.filter(row => !isHeader(row)),
  );
  if (!found) return undefined;
  const {column, cell, words} = found;
  const names = expected?.length === cells.length ? expected : placeholders(cells.length);
  const isUsable = (unusable(header) ?? repeated(header)) === undefined;
  const asHeader = isUsable ? same : `${same} ${columns}`;
  const fix = `Add \`${columnsOption(names)}\` if the header is missing, or \`${asHeader}\` if this is the header.`;
  return {field: `column ${column}`, value: cell, rule: `is ${words}, so the first line may not be a header`, fix};
};

const double: Rule = ({rows, text, next, same, columns}) => {
  if (next === undefined || !isLikeHeader(rows)) return undefined;
  const fix = `Add \`${next}\` if that is the header, \`${next} ${columns}\` if it is a second line of the header, or \`${same}\` if it is a row.`;
  return {value: text, rule: 'is followed by a line unlike all others', fix};
};

function columnsOption(names: readonly string[]): string {
  return `--columns ${quoted(csvLine(names, ','))}`;
}
