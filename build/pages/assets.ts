import {script, style} from './html/assets.ts';
import type {Page} from './page.ts';

/** The style and the script of all pages. */
export default {
  path: '/assets/',
  type: style.type,
  compose: () => [style, script],
} satisfies Page;
