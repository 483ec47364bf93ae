import {html} from 'hono/html';
import type {Html} from '../html/layout.ts';
import {numberWords} from '../html/words.ts';

/** Items of a list that are always visible. */
const VISIBLE = 8;

/** A list of which the first items are visible, and the others after a click. */
export function folded(items: readonly Html[], list: (items: readonly Html[]) => Html, noun: string): Html {
  // A single hidden item would take the place of its own button.
  if (items.length <= VISIBLE + 1) return list(items);
  const hidden = items.slice(VISIBLE);
  return html`${list(items.slice(0, VISIBLE))}
    <details>
      <summary>${numberWords(hidden.length)} more ${noun}</summary>
      ${list(hidden)}
    </details>`;
}
