import type {KeptDocument, Ledger} from '../ledger/ledger.ts';
import {sha256} from '../site/documents.ts';
import type {Offer} from './offer.ts';
import {sleep, type Till} from './till.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** In base64 a part is 1 MiB: a row of a Durable Object holds 2 MB. */
const PART_BYTES = 768 * 1024;
const DAY_MS = 24 * 3_600_000;

/**
 * Keeps the bytes of an offer with the books once they are sold, so that their buyers get them when the site sells others. Whether
 * they are still there is looked up once a day; what it returns waits for nothing.
 */
export function keeper({url, snapshot: {sha256}, redownloadDays}: Offer, till: Till): (bytes: Bytes) => void {
  let keptAt = redownloadDays > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return function keep(bytes) {
    const now = till.clock();
    if (now - keptAt < DAY_MS) return;
    keptAt = now;
    const writing = keepBytes({url, sha256}, bytes, till.ledger).catch(() => {
      keptAt = Number.NEGATIVE_INFINITY; // with the next sale
    });
    till.keepAlive(writing);
  };
}

async function keepBytes(document: KeptDocument, bytes: Bytes, ledger: Ledger): Promise<void> {
  if (await ledger.keepOn(document)) return;
  for (let part = Math.ceil(bytes.length / PART_BYTES) - 1; part >= 0; part--) {
    const slice = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    await ledger.keep(document, part, Buffer.from(slice).toString('base64'));
    await sleep(0); // SQLite writes in this thread, which others wait for
  }
}

/** The bytes of a document that was sold; nothing where they are kept no more. */
export async function keptBytes(document: KeptDocument, ledger: Ledger): Promise<Bytes | undefined> {
  const parts: Buffer[] = [];
  for (;;) {
    const content = await ledger.kept(document, parts.length);
    if (!content) break;
    parts.push(Buffer.from(content, 'base64'));
  }
  const bytes = new Uint8Array(Buffer.concat(parts));
  return (await sha256(bytes)) === document.sha256 ? bytes : undefined;
}

/** Forgets the documents of a site that nobody may download again. The moment that a sale was noted may be a day off. */
export async function forgetDocuments(
  ledger: Ledger,
  site: {base_url: string; redownload_days: number},
): Promise<void> {
  await ledger.forget(site.base_url, site.redownload_days + 1);
}
