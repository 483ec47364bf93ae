import {createHash} from 'node:crypto';
import type {SoldDocument, Ledger} from '../../ledger/ledger.ts';
import {sha256} from '../../site/documents.ts';
import type {OnTrouble} from '../facilitator/facilitator.ts';
import type {Offer} from '../protocol/offer.ts';
import {sleep, type PaymentServices} from '../services.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** In base64 a part is 1 MiB; a row of a Durable Object holds up to 2 MB. */
const PART_BYTES = 768 * 1024;
const DAY_MS = 24 * 3_600_000;
/** How long a sale waits for another one that archives the same document, in milliseconds. */
const ARCHIVING_MS = 5_000;
/** How long a sale waits in all. If the ledger fails slowly, several sales wait for each other. */
const MOST_WAITING_MS = 2 * ARCHIVING_MS;
const LOOK_EVERY_MS = 50;

/**
 * Returns a function that archives the document of an offer in the ledger before a sale is settled, so that its buyers get it after the site
 * sells another. It checks once a day whether the document is still archived. It rejects if the ledger fails, or if other sales that archive
 * the document take too long. Then the next sale tries again.
 */
export function archiver(
  {url, snapshot: {sha256}, redownloadDays}: Offer,
  {ledger, keepAlive}: PaymentServices,
): (bytes: Bytes) => Promise<void> {
  let checkAt = redownloadDays > 0 ? 0 : Number.POSITIVE_INFINITY;
  let busyUntil = 0;
  return async function archive(bytes) {
    const end = performance.now() + MOST_WAITING_MS;
    // A request in a Worker cannot await the work of another, and the host may have stopped that one.
    while (performance.now() >= checkAt && performance.now() < busyUntil) {
      if (performance.now() > end) throw new Error('other sales could not archive the document');
      await sleep(LOOK_EVERY_MS);
    }
    const now = performance.now();
    if (now < checkAt) return;
    busyUntil = now + ARCHIVING_MS;
    const writing = archiveBytes({url, sha256}, bytes, redownloadDays + 1, ledger);
    keepAlive(writing.catch(() => undefined));
    try {
      await writing;
      checkAt = now + DAY_MS;
    } finally {
      busyUntil = 0;
    }
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

/** A document of a former snapshot. */
export interface ArchivedDocument {
  /** In bytes. */
  readonly length: number;
  /** Reads one part at a time, and fails before the last part if the bytes are not those that were sold. */
  readonly body: ReadableStream<Bytes>;
}

/** Opens an archived document. Returns undefined if it is no longer archived completely. */
export async function openArchived(
  document: SoldDocument,
  ledger: Ledger,
  onTrouble: OnTrouble,
): Promise<ArchivedDocument | undefined> {
  const read = async (part: number) => {
    const content = await ledger.archivedPart(document, part);
    return content ? new Uint8Array(Buffer.from(content, 'base64')) : undefined;
  };
  const last = (await ledger.archivedParts(document)) - 1;
  const lastBytes = last < 0 ? undefined : await read(last);
  // A document of one part is checked before the answer begins.
  if (!lastBytes || (last === 0 && (await sha256(lastBytes)) !== document.sha256)) return undefined;
  const {length} = lastBytes;

  const hash = createHash('sha256');
  let part = 0;
  const body = new ReadableStream<Bytes>(
    {
      async pull(controller) {
        // The ledger reports its own failures.
        const bytes = await read(part).catch(() => null);
        if (bytes === null) throw brokenOff();
        if (bytes) hash.update(bytes);
        const isLast = part === last;
        const isRight = isLast ? hash.digest('hex') === document.sha256 : bytes?.length === PART_BYTES;
        if (!bytes || !isRight) {
          onTrouble(
            `The ledger has a damaged copy of ${document.url} (SHA-256 ${document.sha256}): it is not delivered.`,
          );
          throw brokenOff();
        }
        controller.enqueue(bytes);
        if (isLast) controller.close();
        part += 1;
      },
    },
    {highWaterMark: 0},
  );
  return {length: last * PART_BYTES + length, body};
}

/** An error without a stack, which the server library would print. */
function brokenOff(): Error {
  return Object.assign(new Error('An answer was interrupted.'), {stack: undefined});
}
