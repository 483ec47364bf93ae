import {printable} from '../../shared/printable.ts';

const LONGEST = 2000;

/** Text from data, printable; empty text and text beyond 2,000 characters say so. */
export function shownText(text: string): string {
  if (text === '') return '(empty)';
  return printable(text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text);
}
