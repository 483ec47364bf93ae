import {html} from 'hono/html';
import type {Html} from './layout.ts';
import {dateWords, momentWords} from './words.ts';

// The script of the page shows dates in the reader's language.

/** The date of a moment. */
export function date(moment: string): Html {
  return html`<time datetime="${moment}">${dateWords(moment)}</time>`;
}

/** Date and time of a moment. */
export function dateAndTime(moment: string): Html {
  return html`<time datetime="${moment}" data-precise>${momentWords(moment)}</time>`;
}
