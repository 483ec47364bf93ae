import {readFileSync} from 'node:fs';
import type {HttpBindings} from '@hono/node-server';
import {Hono, type Context} from 'hono';
import {streamSSE} from 'hono/streaming';
import {FORMATS} from '../../shared/paths.ts';
import type {Good} from './builder.ts';
import {emptyPage, EVENTS, loosened, preview, SCRIPT, withScript} from './page.ts';
import type {DevState} from './state.ts';

type Env = {Bindings: HttpBindings};

/** Host names of this machine. With any other name, a page of another site could read paid documents (DNS rebinding). */
const OWN_NAMES = new Set(['127.0.0.1', 'localhost']);

const script = readFileSync(new URL('client.js', import.meta.url), 'utf8');

/**
 * Returns the app of the preview: the gate of the last good build. Its pages reload after the next build, and the page of a 402 shows the
 * paid document.
 */
export function devApp(state: DevState): Hono<Env> {
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
        const tell = () => void stream.writeSSE({data: state.message});
        const end = new Promise<void>(resolve => {
          stream.onAbort(resolve);
        });
        state.news.on('news', tell);
        tell();
        await end;
        state.news.off('news', tell);
      }),
    )
    .all('*', async c => {
      if (state.good) return answer(c, state.good);
      return c.html(withScript(await emptyPage(), state.version), 503);
    });
}

/** Returns the answer of the gate, uncompressed and never 304. Pages get the script of the preview. */
async function answer(c: Context<Env>, {gate, site, version}: Good): Promise<Response> {
  const headers = new Headers(c.req.raw.headers);
  for (const name of ['Accept-Encoding', 'If-None-Match']) headers.delete(name);
  const {method, url} = c.req;
  const answered = await gate.fetch(new Request(url, {method, headers}), {target: c.env.incoming.url});
  if (!answered.headers.get('Content-Type')?.startsWith('text/html') || method === 'HEAD') return answered;

  const rule = answered.status === 402 && isOpened(c) && site.rules.rules.find(({path}) => path === c.req.path);
  const document = rule && !rule.path.endsWith(FORMATS.parquet.ending) && (await site.documents.read(rule.path));
  const page = withScript(await answered.text(), version, document ? await preview(rule, document) : '');
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
