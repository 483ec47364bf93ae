/** One record of CSV: a line, or more if a quoted value has line breaks. */
export interface CsvRecord {
  /** The physical line, 1-based, that it starts on. */
  readonly line: number;
  /** Where the next record starts in the text. */
  readonly end: number;
  readonly cells: readonly string[];
  /** False if the text ends within a quoted value. */
  readonly isClosed: boolean;
  /** Whether a value has a quotation mark that quotes nothing, which a wrong delimiter may cause. */
  readonly hasStray: boolean;
}

/** The records at the beginning of a CSV text as DuckDB cuts them (RFC 4180; spaces before a quotation mark are ignored), without blank lines. */
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

/** How many line ends a text has. */
function linesIn(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}

/** A record of CSV, without a line end. */
export function csvLine(cells: readonly string[], delimiter: string): string {
  const isPlain = (cell: string) => !/["\r\n,;|\t]|^ | $/.test(cell);
  return cells.map(cell => (isPlain(cell) ? cell : `"${cell.replaceAll('"', '""')}"`)).join(delimiter);
}
