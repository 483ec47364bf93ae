import {accepts} from 'hono/accepts';
import {COMPRESSIBLE_CONTENT_TYPE_REGEX} from 'hono/compress';
import type {Context} from 'hono';
import type {GateEnv} from './gate-env.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A document of fewer bytes fits in one packet without compression. */
const WORTH_PACKING = 1024;

/** The compressed bytes by the plain ones: each document is compressed once, for all its readers. */
const packed = new WeakMap<Bytes, Promise<Bytes>>();

/** True if the client accepts gzip and compressing pays off. */
export function isPackedFor(c: Context<GateEnv>, type: string, length: number): boolean {
  if (c.req.method === 'HEAD' || length < WORTH_PACKING || !COMPRESSIBLE_CONTENT_TYPE_REGEX.test(type)) return false;
  const accepted = accepts(c, {
    header: 'Accept-Encoding',
    supports: ['gzip'],
    default: 'identity',
    match: (codings, {default: identity}) => {
      const coding = codings.find(({type}) => type.toLowerCase() === 'gzip') ?? codings.find(({type}) => type === '*');
      return coding && coding.q > 0 ? 'gzip' : identity;
    },
  });
  return accepted === 'gzip';
}

/** The bytes in gzip. The same bytes, as an object, are compressed once. */
export function gzipped(bytes: Bytes): Promise<Bytes> {
  const compressed = packed.get(bytes) ?? compress(bytes);
  packed.set(bytes, compressed);
  return compressed;
}

async function compress(bytes: Bytes): Promise<Bytes> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
