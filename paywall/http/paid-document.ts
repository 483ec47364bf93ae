import type {Context} from 'hono';
import {cacheControl} from '../../shared/paths.ts';
import {commonHeaders} from './common-headers.ts';
import {isIntact} from '../site/documents.ts';
import type {Documents} from '../site/documents.ts';
import type {GateEnv} from './exact-path.ts';
import type {OnTrouble} from '../payments/facilitator.ts';
import {problem} from './problem.ts';
import type {PaidItem} from '../site/site.ts';

/** Answers with a document. */
export type Deliver = (c: Context<GateEnv>) => Promise<Response>;

/**
 * The whole paid document, or 503: it runs before the settlement, and an answer of 400 or more keeps `@x402/hono` from
 * settling. `Range` and `If-None-Match` are not looked at: a 206 or 304 would be charged in full.
 *
 * @param onTrouble told once that it cannot be delivered
 */
export function paidDocument(
  {file, rule, listed}: PaidItem,
  documents: Documents,
  onTrouble: OnTrouble = () => undefined,
): Deliver {
  let told = false;
  // They stay in memory from sale to sale, and hashing 25 MB takes longer than all the rest.
  const intact = new WeakSet<Uint8Array>();
  return async function paidDocument(c) {
    const bytes = await documents.read(file);
    if (!bytes || !(intact.has(bytes) || (await isIntact(bytes, listed)))) {
      if (!told)
        onTrouble(
          `${file} is not sold: it is not the file that the catalogue lists. Unless a build is at work, build again.`,
        );
      told = true;
      const detail = 'This document cannot be delivered at the moment. This request charges nothing.';
      return problem({status: 503, title: 'Not deliverable', detail});
    }
    intact.add(bytes);
    c.set('bytes', bytes);
    return paidAnswer(c, bytes, rule.type);
  };
}

/** The answer with a paid document. */
export function paidAnswer(c: Context<GateEnv>, bytes: Uint8Array<ArrayBuffer>, type: string): Response {
  return c.body(bytes, 200, {
    ...commonHeaders,
    'Content-Type': type,
    'Content-Length': String(bytes.length),
    'Cache-Control': cacheControl.paid,
  });
}
