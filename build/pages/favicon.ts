import {html} from 'hono/html';
import {crystalShape, ICON, textOf} from './html/layout.ts';
import type {Page} from './page.ts';

/** The site's icon. It has fixed colours, because it is shown on the browser's background. */
export default {
  path: ICON,
  type: 'image/svg+xml; charset=utf-8',
  compose: () =>
    `${textOf(
      html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
        <rect width="64" height="64" rx="14" fill="#0b6485" />
        <g stroke="#fff" transform="translate(32 32) scale(.82) translate(-32 -32)">${crystalShape}</g>
      </svg>`,
    )}\n`,
} satisfies Page;
