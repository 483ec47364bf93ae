import type {Context} from 'hono';
import {parseAccept} from 'hono/utils/accept';
import type {Documents} from '../site/documents.ts';
import type {Item} from '../site/site.ts';
import type {GateEnv} from './gate-env.ts';
import {problem} from './problem.ts';
import {isListed, sendFree} from './send-free.ts';

const PAGE = '/404.html';
const JSON_TYPES = ['application/json', 'application/problem+json'];
/** The media ranges that include JSON. */
const WILDCARDS = ['application/*', '*/*', '*'];

/** Answers a request for a path that the site does not have. */
export type NotFound = (c: Context<GateEnv>) => Promise<Response>;

/**
 * Makes the handler for 404: it answers with the site's own page if the client prefers HTML, otherwise with problem details. If the page is
 * missing or differs from the catalogue, it always answers with problem details.
 */
export function notFoundAnswer(items: ReadonlyMap<string, Item>, documents: Documents): NotFound {
  return async function notFound(c) {
    const item = items.get(PAGE);
    const bytes = item?.kind === 'free' && prefersHtml(c) ? await documents.read(item.file) : undefined;
    if (item?.kind === 'free' && bytes && (await isListed(item, bytes)))
      return sendFree(c, item.type, bytes, {status: 404, cacheControl: 'no-store', vary: 'Accept'});
    return problem({status: 404, title: 'Not found', detail: 'No document exists at this path.'}, {Vary: 'Accept'});
  };
}

/** True if `Accept` rates HTML above JSON and at least as high as every wildcard. */
function prefersHtml(c: Context<GateEnv>): boolean {
  const ranges = parseAccept(c.req.header('Accept') ?? '');
  const rating = (types: readonly string[]) =>
    Math.max(0, ...ranges.filter(({type}) => types.includes(type.toLowerCase())).map(({q}) => q));
  const html = rating(['text/html']);
  return html > rating(JSON_TYPES) && html >= rating(WILDCARDS);
}
