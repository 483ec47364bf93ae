import {html} from 'hono/html';
import type {Html} from '../html/layout.ts';

/** Deeper lines go on as far in as this depth does. */
const MOST_DEPTH = 4;

/**
 * A JSON value as `JSON.stringify` writes it with two spaces, an element a line, so that long lines can go on below their
 * beginning. The text of all lines together is that text again.
 */
export function jsonLines(value: unknown): Html[] {
  return linesOf(value, 0, html``, '');
}

function linesOf(value: unknown, depth: number, before: Html, after: string): Html[] {
  const at = (text: Html) => inset(depth, text);
  if (typeof value !== 'object' || value === null) return [at(html`${before}${scalar(value)}${after}`)];
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const entries = Object.entries(value);
  if (entries.length === 0) return [at(html`${before}${open}${close}${after}`)];
  return [
    at(html`${before}${open}`),
    ...entries.flatMap(([key, inner], index) =>
      linesOf(inner, depth + 1, Array.isArray(value) ? html`` : name(key), index < entries.length - 1 ? ',' : ''),
    ),
    at(html`${close}${after}`),
  ];
}

function name(key: string): Html {
  return html`<i>${JSON.stringify(key)}:</i> `;
}

function scalar(value: unknown): Html {
  return typeof value === 'number' ? html`<b>${JSON.stringify(value)}</b>` : html`${JSON.stringify(value)}`;
}

function inset(depth: number, text: Html): Html {
  return html`<span class="in-${Math.min(depth, MOST_DEPTH)}">${'  '.repeat(depth)}${text}${'\n'}</span>`;
}
