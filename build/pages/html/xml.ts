import type {html} from 'hono/html';
import type {ProductRecord} from '../../documents/record.ts';
import {withoutControls} from '../../../shared/printable.ts';
import {textOf} from './layout.ts';

// XML is written with the template that escapes what is filled into HTML; a second name keeps it from being laid out as HTML.
export {html as xml} from 'hono/html';

/** What XML 1.0 cannot hold, however it is escaped, beside controls. */
const INVALID = /[\ufffe\uffff]/g;

/** An XML document as text: its root element, controls as JSON escapes them, other characters that XML cannot hold as U+FFFD. */
export function xmlDocument(root: ReturnType<typeof html>): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${withoutControls(textOf(root)).replace(INVALID, '\ufffd')}\n`;
}

/** The latest `as_of` of all products: when the site last changed, for there is no clock. */
export function latestOf(products: readonly ProductRecord[]): string {
  return products.reduce((latest, {published: {as_of}}) => (as_of > latest ? as_of : latest), '');
}
