import type {Context} from 'hono';
import {cacheControl} from '../../shared/paths.ts';
import type {Documents} from '../site/documents.ts';
import type {GateEnv} from './gate-env.ts';
import type {NotFound} from './not-found.ts';
import {problem} from './problem.ts';
import {digestOf, isListed, sendFree} from './send-free.ts';
import type {FreeItem} from '../site/site.ts';

/**
 * Answers with a free document, in gzip if the client accepts it, with an entity tag that is strong for the plain bytes. Bytes that differ
 * from the catalogue are of another build, and are answered with 503. Documents have no modification date, so `If-Unmodified-Since` is
 * ignored (RFC 9110, section 13.1.4).
 */
export function freeDocument(documents: Documents, notFound: NotFound) {
  return async function freeDocument(c: Context<GateEnv>, item: FreeItem): Promise<Response> {
    const bytes = await documents.read(item.file);
    if (item.isOptional && !bytes) return notFound(c);
    if (!bytes)
      return problem({status: 503, title: 'Not readable', detail: 'This document cannot be read at the moment.'});
    if (!(await isListed(item, bytes)))
      return problem({status: 503, title: 'Being replaced', detail: 'This document is being replaced.'});
    const tag = `"${(await digestOf(bytes)).slice(0, 32)}"`;
    if (!isMatched(c.req.header('If-Match'), tag))
      return problem({status: 412, title: 'Precondition failed', detail: `The entity tag of this document is ${tag}.`});
    return sendFree(c, item.type, bytes, {status: 200, cacheControl: cacheControl.free, tag});
  };
}

/** True if `If-Match` is absent, `*`, or names a strong entity tag (RFC 9110, section 13.1.1). Weak tags never match. */
function isMatched(ifMatch: string | undefined, tag: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  return Array.from(ifMatch.matchAll(/(?:W\/)?"[^"]*"/g), ([named]) => named).includes(tag);
}
