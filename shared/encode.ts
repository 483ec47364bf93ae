/** The text of a JSON document: two-space indent, one final newline. */
export function encode(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
