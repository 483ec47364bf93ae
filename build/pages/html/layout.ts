import {html} from 'hono/html';
import {pagePolicy, scriptElement, styleElement} from './inline.ts';

/** What `html` makes: text in which everything that was filled in is escaped. */
export type Html = ReturnType<typeof html>;

/** The parts of a page that differ. */
export interface Layout {
  readonly title: string;
  readonly description: string;
  /** Further elements of the head. */
  readonly head?: Html;
  readonly body: Html;
}

/** A whole page as text. Links are relative to the origin, so that a page works wherever its tree is served. */
export function layout({title, description, head, body}: Layout): string {
  return textOf(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta http-equiv="Content-Security-Policy" content="${pagePolicy}" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="referrer" content="strict-origin-when-cross-origin" />
          <title>${title}</title>
          <meta name="description" content="${description}" />
          <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
          ${head} ${styleElement}
        </head>
        <body>
          ${body} ${scriptElement}
        </body>
      </html> `,
  );
}

/** The text of a template in which nothing was awaited. */
export function textOf(template: Html): string {
  if (template instanceof Promise) throw new Error('a page waits for nothing');
  return template.toString();
}
