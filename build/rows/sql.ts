/** The columns that `relation` defines for the field with an index. */
export const COLUMNS = {
  /** The text, NULL if it represents a missing value. */
  text: (index: number) => `t${index}`,
  /** The unchanged text; absent if it is always equal to `text`. */
  raw: (index: number) => `r${index}`,
  value: (index: number) => `v${index}`,
  /** True if the text is not of the type of the field. */
  isWrong: (index: number) => `w${index}`,
  /** True if a JSON value is of another kind than the type of the field. */
  isWrongKind: (index: number) => `k${index}`,
  /** True if the row lacks the member. */
  isAbsent: (index: number) => `m${index}`,
} as const;

/** Returns a string as an SQL expression without parameters. For DuckDB, a NUL character would end the statement. */
export function literal(text: string): string {
  const parts = text.split('\0').map(part => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? parts.join('') : `(${parts.join(' || chr(0) || ')})`;
}

/** Returns a name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns SQL of the text of a value. A decimal without digits before its point, such as DECIMAL(2, 2), gets a zero there. */
export function asText(value: string): string {
  return `regexp_replace(CAST(${value} AS VARCHAR), '^(-?)[.]', '\\10.')`;
}

/** Returns a list of strings as an SQL literal. */
export function literals(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`;
}

/** True for an error that DuckDB reports about a query or files. */
export function isOfDuckDb(error: unknown): error is Error {
  return error instanceof Error && /^[\w ]+ Error: /.test(error.message);
}

/** Returns the first line of a DuckDB error, without paths of this machine. */
export function messageOf(error: Error): string {
  const [first = ''] = error.message.split('\n');
  return first.replace(/^[\w ]*Error: /, '').replaceAll(/(?<=^|[\s"'])\/.*\//g, '');
}
