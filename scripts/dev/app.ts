import {readFileSync} from 'node:fs';
import type {HttpBindings} from '@hono/node-server';
import {Hono, type Context} from 'hono';
import {streamSSE} from 'hono/streaming';
import {FORMATS} from '../../shared/paths.ts';
import type {BuiltSite, Preview} from './builder.ts';
import {html} from 'hono/html';
import type {Rule} from '../../shared/shapes.ts';

type Env = {Bindings: HttpBindings};

/** Host names of this machine. With any other name, a page of another site could read paid documents (DNS rebinding). */
const OWN_NAMES = new Set(['127.0.0.1', 'localhost']);

const script = readFileSync(new URL('client.js', import.meta.url), 'utf8');

/**
 * Returns the app of the preview: the gate of the last successful build. Its pages reload after the next build, and the page of a 402
 * shows the paid document.
 */
export function devApp(preview: Preview): Hono<Env> {
  return new Hono<Env>()
    .use(async (c, next) => {
      const host = `http://${c.req.header('Host') ?? ''}`;
      if (!URL.canParse(host) || !OWN_NAMES.has(new URL(host).hostname))
        return c.text(`This server answers to ${[...OWN_NAMES].join(' and ')} only.\n`, 403);
      await next();
      c.header('Cache-Control', 'no-store');
      return undefined;
    })
    .get(SCRIPT, c => c.body(script, 200, {'Content-Type': 'text/javascript; charset=utf-8'}))
    .get(EVENTS, c =>
      streamSSE(c, async stream => {
        const sendState = () => {
          const {lastBuild, faults} = preview;
          void stream.writeSSE({data: JSON.stringify({version: lastBuild?.version ?? '', faults})});
        };
        const end = new Promise<void>(resolve => {
          stream.onAbort(resolve);
        });
        preview.news.on('news', sendState);
        sendState();
        await end;
        preview.news.off('news', sendState);
      }),
    )
    .all('*', async c => {
      if (preview.lastBuild) return answer(c, preview.lastBuild);
      return c.html(withScript(await emptyPage(), ''), 503);
    });
}

/** Returns the answer of the gate, uncompressed and never 304. Pages get the script of the preview. */
async function answer(c: Context<Env>, {gate, site, version}: BuiltSite): Promise<Response> {
  const headers = new Headers(c.req.raw.headers);
  for (const name of ['Accept-Encoding', 'If-None-Match']) headers.delete(name);
  const {method, url} = c.req;
  const answered = await gate.fetch(new Request(url, {method, headers}), {target: c.env.incoming.url});
  if (!answered.headers.get('Content-Type')?.startsWith('text/html') || method === 'HEAD') return answered;

  const rule = answered.status === 402 && isOpened(c) && site.rules.rules.find(({path}) => path === c.req.path);
  const document = rule && !rule.path.endsWith(FORMATS.parquet.ending) && (await site.documents.read(rule.path));
  const page = withScript(await answered.text(), version, document ? await paidPart(rule, document) : '');
  const changed = new Response(page, answered);
  for (const name of ['Content-Length', 'ETag', 'Access-Control-Allow-Origin']) changed.headers.delete(name);
  const policy = answered.headers.get('Content-Security-Policy');
  if (policy !== null) changed.headers.set('Content-Security-Policy', loosened(policy));
  changed.headers.set('X-Frame-Options', 'DENY');
  return changed;
}

/** True if a browser navigates to the path. A page of another site cannot send such a request and read the answer (Fetch Metadata). */
function isOpened(c: Context<Env>): boolean {
  return c.req.header('Sec-Fetch-Dest') === 'document' && c.req.header('Sec-Fetch-Mode') === 'navigate';
}

/** The paths of the script and its events, in a folder that sites do not use. */
const SCRIPT = '/.dev/client.js';
const EVENTS = '/.dev/events';

const POLICY = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/;

/** Returns a page with the script that reloads it, and with `more` at the end of its content. */
function withScript(page: string, version: string, more = ''): string {
  const script = `<script src="${SCRIPT}" data-version="${version}"></script>`;
  return page
    .replace(POLICY, (meta, policy: string) => meta.replace(policy, () => loosened(policy)))
    .replace('</main>', () => `${more}</main>`)
    .replace('</body>', () => `${script}</body>`);
}

/** Returns a Content-Security-Policy that also allows this script and its connection. */
function loosened(policy: string): string {
  if (!policy.includes('default-src ')) return policy;
  const own = policy.includes('script-src ')
    ? policy.replace('script-src ', "script-src 'self' ")
    : `${policy}; script-src 'self'`;
  return policy.includes('connect-src ') ? own : `${own}; connect-src 'self'`;
}

/** Returns the paid document as HTML, for the end of the page of a 402. */
async function paidPart({title}: Rule, document: Uint8Array): Promise<string> {
  const text = new TextDecoder().decode(document);
  const part = html`<section>
    <h2 id="preview">Preview of ${title}</h2>
    <p>Only <code>frozen dev</code> shows this, and only to a browser on this machine: it is what a buyer gets.</p>
    <pre tabindex="0" role="region" aria-labelledby="preview">${text}</pre>
  </section>`;
  return String(await part);
}

/** Returns the page that is shown until the first successful build. */
async function emptyPage(): Promise<string> {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Not built yet</title>
      </head>
      <body>
        <h1>Not built yet</h1>
        <p>This page loads again when the site is built.</p>
      </body>
    </html>`;
  return String(await page);
}
