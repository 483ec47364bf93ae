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

/** Digests by the bytes: those are hashed once for all who ask at a time, and not again while they are cached. */
const tags = new WeakMap<Uint8Array, Promise<string>>();

/** Hands out a free document, in gzip to who takes it, with an entity tag over its bytes that is strong for the plain ones. */
export function freeDocument(items: ReadonlyMap<string, Item>, documents: Documents): Handler<GateEnv> {
  return async function freeDocument(c) {
    const item = items.get(rawPath(c));
    const bytes = item?.kind === 'free' ? await documents.read(item.file) : undefined;
    if (item?.kind !== 'free' || !bytes) {
      return problem({status: 503, title: 'Not readable', detail: 'This document cannot be read at the moment.'});
    }
    const tag = await tagOf(bytes);
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

function tagOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const tag = tags.get(bytes) ?? sha256(bytes).then(digest => `"${digest.slice(0, 32)}"`);
  tags.set(bytes, tag);
  return tag;
}
