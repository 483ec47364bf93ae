import {html} from 'hono/html';
import type {Html} from '../html/layout.ts';

/** Deeper lines go on as far in as this depth does. */
const MOST_DEPTH = 4;

/**
 * JSON that was written with two spaces, an element a line, so that long lines can go on below their beginning. The text of all lines
 * together is that text again.
 */
export function jsonLines(text: string): Html[] {
  return text.trimEnd().split('\n').map(lineOf);
}

function lineOf(line: string): Html {
  const [, spaces = '', name, value = ''] = /^( *)("(?:[^"\\]|\\.)*":)? ?(.*)$/s.exec(line) ?? [];
  const [, number, rest = ''] = /^(-?\d[^,]*)?(.*)$/s.exec(value) ?? [];
  const words = html`${name && html`<i>${name}</i> `}${number && html`<b>${number}</b>`}${rest}`;
  return html`<span class="in-${Math.min(spaces.length / 2, MOST_DEPTH)}">${spaces}${words}${'\n'}</span>`;
}
