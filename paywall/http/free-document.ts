import type {Handler} from 'hono';
import {cacheControl} from '../../shared/paths.ts';
import {commonHeaders} from './common-headers.ts';
import {sha256} from '../site/documents.ts';
import type {Documents} from '../site/documents.ts';
import {rawPath} from './exact-path.ts';
import type {GateEnv} from './exact-path.ts';
import {gzipped, isPackedFor} from './packed.ts';
import {problem} from './problem.ts';
import type {Item} from '../site/site.ts';

/** SHA-256 by the bytes: those are hashed once for all who ask at a time, and not again while they are cached. */
const digests = new WeakMap<Uint8Array, Promise<string>>();

/**
 * Hands out a free document, in gzip to who takes it, with an entity tag over its bytes that is strong for the plain ones. Bytes that
 * the catalogue does not list are those of another build, and are answered with 503.
 */
export function freeDocument(items: ReadonlyMap<string, Item>, documents: Documents): Handler<GateEnv> {
  return async function freeDocument(c) {
    const item = items.get(rawPath(c));
    const bytes = item?.kind === 'free' ? await documents.read(item.file) : undefined;
    if (item?.kind === 'free' && item.isOptional && !bytes)
      return problem({status: 404, title: 'Not found', detail: 'There is no such document here.'});
    if (item?.kind !== 'free' || !bytes) {
      return problem({status: 503, title: 'Not readable', detail: 'This document cannot be read at the moment.'});
    }
    const digest = await digestOf(bytes);
    if (item.listed && item.listed.sha256 !== digest) {
      return problem({status: 503, title: 'Being replaced', detail: 'This document is being replaced.'});
    }
    const tag = `"${digest.slice(0, 32)}"`;
    const isPacked = isPackedFor(c, item.type, bytes.length);
    const sent = isPacked ? await gzipped(bytes) : bytes;
    return c.body(sent, 200, {
      ...commonHeaders,
      'Content-Type': item.type,
      'Content-Length': String(sent.length),
      ...(isPacked && {'Content-Encoding': 'gzip'}),
      'Cache-Control': cacheControl.free,
      // A page brings its own policy; this part of one means nothing in a page.
      ...(item.type.startsWith('text/html') && {'Content-Security-Policy': "frame-ancestors 'none'"}),
      Vary: 'Accept-Encoding',
      ETag: isPacked ? `W/${tag}` : tag,
    });
  };
}

function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = digests.get(bytes) ?? sha256(bytes);
  digests.set(bytes, digest);
  return digest;
}
