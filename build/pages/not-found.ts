import {html} from 'hono/html';
import {paths} from '../../shared/paths.ts';
import {mark, layout} from './html/layout.ts';
import type {Page} from './page.ts';

/** The page for URLs that do not exist. */
export default {
  path: '/404.html',
  type: 'text/html; charset=utf-8',
  compose: ({title}) =>
    layout({
      title: `Not found: ${title}`,
      description: 'No document exists at this address.',
      head: html`<meta name="robots" content="noindex" />`,
      body: html`<main class="page">
        <header class="hero">
          ${mark}
          <h1>Page not found</h1>
          <p class="lead">
            No document exists at this address. <a href="/">See what is for sale</a>, or read
            <a href="${paths.catalogue}">the catalogue</a>.
          </p>
        </header>
      </main>`,
    }),
} satisfies Page;
