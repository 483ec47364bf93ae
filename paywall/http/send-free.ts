import type {Context} from 'hono';
import {sha256} from '../site/documents.ts';
import type {FreeItem} from '../site/site.ts';
import {commonHeaders} from './common-headers.ts';
import type {GateEnv} from './gate-env.ts';
import {gzipped, isPackedFor} from './packed.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** SHA-256 by the bytes: computed once for concurrent requests, and not again while the bytes are cached. */
const digests = new WeakMap<Bytes, Promise<string>>();

/** The parts of an answer that differ between a free document and the page of a 404. */
interface Sent {
  readonly status: 200 | 404;
  readonly cacheControl: string;
  /** Request headers, next to `Accept-Encoding`, that choose the answer. */
  readonly vary?: string;
  /** A strong entity tag of the plain bytes. */
  readonly tag?: string;
}

/** Answers with free bytes, in gzip if the client accepts it, or with 304 if the client has them (RFC 9110, section 13.1.2). */
export async function sendFree(
  c: Context<GateEnv>,
  type: string,
  bytes: Bytes,
  {status, cacheControl, vary, tag}: Sent,
): Promise<Response> {
  const isPacked = isPackedFor(c, type, bytes.length);
  const common = {
    ...commonHeaders,
    'Cache-Control': cacheControl,
    Vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`,
    ...(tag !== undefined && {ETag: isPacked ? `W/${tag}` : tag}),
  };
  // These are plain objects, because the server for Node takes twice as long to send `Headers`, which `c.body` makes.
  if (tag !== undefined && namesTag(c.req.header('If-None-Match'), tag))
    return new Response(null, {status: 304, headers: common});
  const sent = isPacked ? await gzipped(bytes) : bytes;
  const headers = {
    ...common,
    'Content-Type': type,
    'Content-Length': String(sent.length),
    ...(isPacked && {'Content-Encoding': 'gzip'}),
    // Pages have their own policy in a `<meta>`, in which browsers ignore this directive.
    ...(type.startsWith('text/html') && {'Content-Security-Policy': "frame-ancestors 'none'"}),
  };
  return new Response(sent, {status, headers});
}

/** True if `If-None-Match` is `*` or names an entity tag, weak or strong. */
function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch?.trim() === '*' || (ifNoneMatch?.match(/"[^"]*"/g)?.includes(tag) ?? false);
}

/** True if the bytes are those that the catalogue lists, or if it lists no digest for the document. */
export async function isListed({listed}: FreeItem, bytes: Bytes): Promise<boolean> {
  return !listed || listed.sha256 === (await digestOf(bytes));
}

/** SHA-256 in lowercase hex. The same bytes, as an object, are hashed once. */
export function digestOf(bytes: Bytes): Promise<string> {
  const digest = digests.get(bytes) ?? sha256(bytes);
  digests.set(bytes, digest);
  return digest;
}
