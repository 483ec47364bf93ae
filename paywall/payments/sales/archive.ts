import type {SoldDocument, Ledger} from '../../ledger/ledger.ts';
import {sha256} from '../../site/documents.ts';
import type {Offer} from '../protocol/offer.ts';
import {sleep, type PaymentServices} from '../services.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** In base64 a part is 1 MiB; a row of a Durable Object holds up to 2 MB. */
const PART_BYTES = 768 * 1024;
const DAY_MS = 24 * 3_600_000;

/**
 * Returns a function that archives the document of an offer in the ledger when it is sold, so that its buyers get it after the site sells
 * another. It checks once a day whether the document is still archived.
 */
export function archiver(
  {url, snapshot: {sha256}, redownloadDays}: Offer,
  {clock, ledger, keepAlive}: PaymentServices,
): (bytes: Bytes) => void {
  let archivedAt = redownloadDays > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return function archive(bytes) {
    const now = clock();
    if (now - archivedAt < DAY_MS) return;
    archivedAt = now;
    const writing = archiveBytes({url, sha256}, bytes, redownloadDays + 1, ledger).catch(() => {
      archivedAt = Number.NEGATIVE_INFINITY; // with the next sale
    });
    keepAlive(writing);
  };
}

/** @param days one more than was sold, because sales are archived once a day */
async function archiveBytes(document: SoldDocument, bytes: Bytes, days: number, ledger: Ledger): Promise<void> {
  if (await ledger.isArchived(document, days)) return;
  for (let part = Math.ceil(bytes.length / PART_BYTES) - 1; part >= 0; part--) {
    const slice = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    await ledger.archive(document, part, Buffer.from(slice).toString('base64'), days);
    await sleep(0); // SQLite writes in this thread: let other work run
  }
}

/** The bytes of an archived document, or undefined if it is no longer archived. */
export async function archivedBytes(document: SoldDocument, ledger: Ledger): Promise<Bytes | undefined> {
  const parts: Buffer[] = [];
  for (;;) {
    const content = await ledger.archivedPart(document, parts.length);
    if (!content) break;
    parts.push(Buffer.from(content, 'base64'));
  }
  const bytes = new Uint8Array(Buffer.concat(parts));
  return (await sha256(bytes)) === document.sha256 ? bytes : undefined;
}

/** Deletes documents of a site that can no longer be downloaded again. */
export async function pruneArchive(ledger: Ledger, site: {base_url: string; redownload_days: number}): Promise<void> {
  await ledger.prune(site.base_url, site.redownload_days + 1);
}
