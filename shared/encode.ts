/** Returns the text of a JSON document, with two spaces of indentation and a final newline. */
export function encode(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
