import type {Handler} from 'hono';
import {cacheControl} from '../shared/paths.ts';
import {commonHeaders} from './common-headers.ts';
import {sha256} from './documents.ts';
import type {Documents} from './documents.ts';
import {rawPath} from './exact-path.ts';
import type {GateEnv} from './exact-path.ts';
import {problem} from './problem.ts';
import type {Item} from './site.ts';

/** Digests of bytes that were read before: a cached file is not hashed again, a dropped one is not held. */
const tags = new WeakMap<Uint8Array, string>();

/** Hands out a free document with a strong entity tag over its bytes. */
export function freeDocument(items: ReadonlyMap<string, Item>, documents: Documents): Handler<GateEnv> {
  return async function freeDocument(c) {
    const item = items.get(rawPath(c));
    const bytes = item?.kind === 'free' ? await documents.read(item.file) : undefined;
    if (item?.kind !== 'free' || !bytes) {
      return problem({status: 503, title: 'Not readable', detail: 'This document cannot be read at the moment.'});
    }
    return c.body(bytes, 200, {
      ...commonHeaders,
      'Content-Type': item.type,
      'Content-Length': String(bytes.length),
      'Cache-Control': cacheControl.free,
      // A page brings its own policy; this part of one means nothing in a page.
      ...(item.type.startsWith('text/html') && {'Content-Security-Policy': "frame-ancestors 'none'"}),
      // Set here: `compress` would set it on a finished answer, which copies the answer.
      Vary: 'Accept-Encoding',
      ETag: await tagOf(bytes),
    });
  };
}

async function tagOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const tag = tags.get(bytes) ?? `"${(await sha256(bytes)).slice(0, 32)}"`;
  tags.set(bytes, tag);
  return tag;
}
