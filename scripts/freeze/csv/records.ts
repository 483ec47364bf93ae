import {stringify} from 'csv-stringify/sync';

/** One record of CSV: a line, or more if a quoted value has line breaks. */
export interface CsvRecord {
  /** The physical line on which it starts, from 1. */
  readonly line: number;
  /** The offset in the text at which the next record starts. */
  readonly end: number;
  readonly cells: readonly string[];
  /** False if the text ends within a quoted value. */
  readonly isClosed: boolean;
  /** True if a value contains a quotation mark that does not quote, which a wrong delimiter may cause. */
  readonly hasStray: boolean;
}

/**
 * Returns the records at the beginning of a CSV text, without blank lines, split as DuckDB does it (RFC 4180; spaces before a quotation
 * mark are ignored). The build's `CsvRecords` counts the records of whole files, for which it reads bytes instead of cells.
 */
export function recordsOf(text: string, delimiter: string, most: number): CsvRecord[] {
  const patterns = {
    quoted: new RegExp(` *"([^"]*(?:""[^"]*)*)"(?= *(?:[${delimiter}\r\n]|$)) *`, 'y'),
    unclosed: / *"[^"]*(?:""[^"]*)*$/y,
    plain: new RegExp(`[^${delimiter}\r\n]*`, 'y'),
    lineEnd: /\r\n|\n|\r/y,
  };
  const records: CsvRecord[] = [];
  let [at, line] = [0, 1];
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length && records.length < most) {
    const [start, startLine] = [at, line];
    const cells: string[] = [];
    let [isClosed, hasStray] = [true, false];
    do {
      const quoted = take(patterns.quoted);
      if (quoted) cells.push((quoted[1] ?? '').replaceAll('""', '"'));
      else {
        const unclosed = take(patterns.unclosed);
        isClosed = !unclosed;
        const cell = (unclosed ?? take(patterns.plain))?.[0] ?? '';
        hasStray ||= cell.includes('"');
        cells.push(cell);
      }
    } while (text[at] === delimiter && ++at);
    const isBlank = at === start;
    take(patterns.lineEnd);
    line += linesIn(text.slice(start, at));
    if (!isBlank) records.push({line: startLine, end: at, cells, isClosed, hasStray});
  }
  return records;
}

function linesIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}

/** Returns a record of CSV without a line end. Cells with any known delimiter are quoted, so that each reader finds the same one. */
export function csvLine(cells: readonly string[], delimiter: string): string {
  return stringify([[...cells]], {delimiter, eof: false, quoted_match: /[\r\n,;|\t]|^ | $/});
}
