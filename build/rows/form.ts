import {mapAll, refuse, type Fault} from '../../shared/fault.ts';
import {paths} from './formats.ts';
import {chunksOf, textLines} from './lines.ts';
import {parquetFaults} from './parquet-form.ts';
import type {List} from './relation.ts';
import {literal, messageOf} from './sql.ts';
import {survey, type Survey} from './survey.ts';

/**
 * Checks, before any row is read, that a table's patterns are such, and that its files are whole, have the schema's columns and no record
 * that is too long. Returns what their bytes hold.
 *
 * @param known the same, where that was looked at
 */
export async function checkForm(list: List, known?: Survey): Promise<Survey> {
  refuse(await patternFaults(list));
  const {root, table} = list;
  const surveyed = known ?? (await survey(root, table.freeze, table.fields.length));
  // NDJSON names the columns in every row, and a list without rows is an empty file.
  const faultsIn = {
    csv: headerFaults,
    ndjson: undefined,
    json: endFaults,
    parquet: ({database, root, table: {freeze, fields}}: List) => parquetFaults(database, root, freeze.files, fields),
  };
  refuse((await faultsIn[list.table.freeze.format]?.(list)) ?? []);
  return table.freeze.format === 'parquet' ? {...surveyed, rows: () => footerRows(list)} : surveyed;
}

/** The rows that the footers of Parquet files tell of. */
async function footerRows({database, root, table: {freeze}}: List): Promise<number> {
  const [cells] = await database.query(`SELECT sum(num_rows) FROM parquet_file_metadata(${paths(root, freeze)})`);
  return Number(cells?.[0]);
}

/** A pattern that DuckDB's RE2 cannot compile. */
async function patternFaults({database, table: {freeze, fields}}: List): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const {name, constraints: {pattern: value} = {}} of fields) {
    if (value === undefined) continue;
    try {
      await database.query(`SELECT regexp_full_match('', ${literal(value)})`);
    } catch (cause) {
      const rule = `is not a pattern: ${messageOf(cause as Error)}`;
      faults.push({file: freeze.descriptor, field: `column "${name}"`, value, rule});
    }
  }
  return faults;
}

/** CSV: the first line of every file must name the schema's columns, in order; no name has a line end. */
async function headerFaults({root, table: {freeze, fields}}: List): Promise<Fault[]> {
  const names = fields.map(({name}) => name);
  const header = headerPattern(names, freeze.delimiter);
  const faults = await mapAll(freeze.files, async (file): Promise<Fault[]> => {
    const first = await firstLine(root, file);
    if (first === undefined) return [{file, rule: 'is empty: not even a header'}];
    const rule = `is not ${names.join(freeze.delimiter)}`;
    return header.test(first) ? [] : [{file, line: 1, field: 'header', value: first, rule}];
  });
  return faults.flat();
}

/** The first line of a file without a byte order mark, empty where it is blank; nothing where all lines are. */
async function firstLine(root: string, file: string): Promise<string | undefined> {
  for await (const {line, text} of textLines(root, file)) {
    const [first = ''] = Buffer.from(text, 'latin1').toString('utf8').split('\r');
    return line === 1 ? first.replace(/^\ufeff/, '') : '';
  }
  return undefined;
}

/** Each name may stand in quotation marks, and has to where it holds the delimiter. */
function headerPattern(names: readonly string[], delimiter: string): RegExp {
  const escaped = (text: string) =>
    text.replaceAll(/[^\p{L}\p{N}]/gu, character => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
  const alternatives = names.map(name =>
    name.includes(delimiter) ? `"${escaped(name)}"` : `(?:"${escaped(name)}"|${escaped(name)})`,
  );
  return new RegExp(`^${alternatives.join(escaped(delimiter))}$`, 'u');
}

/** JSON: DuckDB takes a file without a list for an empty list, and one that is cut off after a comma for a whole one. */
async function endFaults({root, table: {freeze}}: List): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const file of freeze.files) {
    let last: string | undefined;
    for await (const chunk of chunksOf(root, file)) last = chunk.toString('latin1').trimEnd().at(-1) ?? last;
    if (last === undefined) faults.push({file, rule: 'is empty'});
    if (last === ',') faults.push({file, rule: 'is cut off: it ends with a comma'});
  }
  return faults;
}
