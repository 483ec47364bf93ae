/** A text as an SQL string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A value of JSON as an SQL literal. */
export function literalOf(value: string | number | boolean): string {
  return typeof value === 'string' ? literal(value) : String(value);
}

/** A name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A list of texts as an SQL list literal. */
export function literals(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`;
}

/** True of what DuckDB says of a question, or of files. */
export function isOfDuckDb(error: unknown): error is Error {
  return error instanceof Error && /^[\w ]+ Error: /.test(error.message);
}

/** The first line of what DuckDB says of an error, without paths of this machine. */
export function messageOf(error: Error): string {
  const [first = ''] = error.message.split('\n');
  return first.replace(/^[\w ]*Error: /, '').replaceAll(/(?<=^|[\s"'])\/.*\//g, '');
}
