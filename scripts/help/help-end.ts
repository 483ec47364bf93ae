/** Returns the end of the help of a command: notes, exit codes and an example. */
export function helpEnd(codes: string, example: string, notes = ''): string {
  return `${notes}\nExit codes: ${codes}, 2 wrong usage.\n\nExample: frozen ${example}\n`;
}
