/** Returns standard error without codes and remedies: one line per error, for tests of the messages. */
export function plainErrors(text: string): string {
  return text.replaceAll(/^FZ\d{3}: .*\n?/gm, '').replaceAll(/(?:\.|(?<=\?)) \[FZ\d{3}\]$/gm, '');
}
