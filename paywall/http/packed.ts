import {accepts} from 'hono/accepts';
import {COMPRESSIBLE_CONTENT_TYPE_REGEX} from 'hono/compress';
import type {Context} from 'hono';
import type {GateEnv} from './exact-path.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A document of fewer bytes fits in one packet as it is. */
const WORTH_PACKING = 1024;

/** By the plain bytes: each document is packed once, for all who read it, and forgotten with it. */
const packed = new WeakMap<Bytes, Promise<Bytes>>();
/** By the packed bytes: who still reads them keeps the plain ones findable, so that nobody packs those again. */
const plain = new WeakMap<Bytes, Bytes>();
/** Documents are packed one after the other: the machine has other things to do. */
let last: Promise<unknown> = Promise.resolve();

/** Whether an answer of this type and length is to be sent compressed to this client. */
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
  const known = packed.get(bytes);
  if (known) return known;
  const made = last.then(() => pack(bytes));
  last = made.catch(() => undefined); // told to whoever asked for it
  packed.set(bytes, made);
  return made;
}

async function pack(bytes: Bytes): Promise<Bytes> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  const result = new Uint8Array(await new Response(stream).arrayBuffer());
  plain.set(result, bytes);
  return result;
}
