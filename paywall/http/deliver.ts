import {encodePaymentResponseHeader} from '@x402/core/http';
import type {Context} from 'hono';
import {cacheControl} from '../../shared/paths.ts';
import {archiver, archivedBytes} from '../payments/sales/archive.ts';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import type {Offer} from '../payments/protocol/offer.ts';
import type {PaidSale} from '../payments/sales/paid-sale.ts';
import type {PaymentServices} from '../payments/services.ts';
import {withReceipt} from '../payments/protocol/signed-receipt.ts';
import {ConcurrencyLimit} from '../../shared/concurrency-limit.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {isIntact, type Documents} from '../site/documents.ts';
import type {PaidItem} from '../site/site.ts';
import type {Sign} from '../site/site-signer.ts';
import {commonHeaders} from './common-headers.ts';
import type {GateEnv} from './exact-path.ts';
import {problem, type Problem} from './problem.ts';
import {retryLater} from './retry-later.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Documents of former snapshots of one product that are read at a time. */
const MOST_READING = 4;

/** The way out of the gate for one paid document. */
export interface Delivery {
  /** The document for sale, or undefined, reported once, if it is not the file that the catalogue lists. */
  readonly read: () => Promise<Bytes | undefined>;
  /**
   * Answers with the document of a paid sale, and records whether it was sent. No other function answers 200 on a paid path. `Range` and
   * `If-None-Match` are ignored.
   *
   * @param bytes the document for sale if it was read already
   */
  readonly deliver: (c: Context<GateEnv>, paid: PaidSale, bytes?: Bytes) => Promise<Response>;
}

/** Opens the way out for the document of an offer. */
export function openDelivery(
  offer: Offer,
  {file, listed}: PaidItem,
  documents: Documents,
  services: PaymentServices,
  {sign, onTrouble = () => undefined}: {readonly sign?: Sign | undefined; readonly onTrouble?: OnTrouble | undefined},
): Delivery {
  const archive = archiver(offer, services);
  const reading = new ConcurrencyLimit({total: MOST_READING});
  // Documents stay in memory from sale to sale, and hashing 25 MB takes longer than everything else.
  const intact = new WeakSet<Bytes>();
  let isReported = false;

  async function read(): Promise<Bytes | undefined> {
    const bytes = await documents.read(file);
    if (bytes && (intact.has(bytes) || (await isIntact(bytes, listed)))) {
      intact.add(bytes);
      return bytes;
    }
    if (!isReported)
      onTrouble(
        `${file} is not sold, because it is not the file that the catalogue lists. Unless a build is running, build again.`,
      );
    isReported = true;
    return undefined;
  }

  /** The bytes, or the answer instead of them. */
  async function bytesOf(c: Context<GateEnv>, {archived}: PaidSale): Promise<Bytes | Response> {
    if (archived === undefined) return (await read()) ?? problem(NOT_DELIVERABLE);
    const document = {url: offer.url, sha256: archived};
    const readArchive = () =>
      archivedBytes(document, services.ledger).then(
        bytes => bytes ?? problem(NOT_ARCHIVED),
        () => retryLater(c, 'unavailable'),
      );
    return (await reading.run({}, readArchive)) ?? retryLater(c, 'in_flight');
  }

  /** The header PAYMENT-RESPONSE, with a signed receipt if the gate has the key of its site. */
  async function receiptFor({sale, receipt, archived}: PaidSale): Promise<string> {
    if (!sign) return encodePaymentResponseHeader(receipt);
    const delivered = archived === undefined ? offer.snapshot : {sha256: archived, as_of: sale.asOf};
    const signed = await withReceipt(receipt, sale, delivered, sign, services.clock()).catch((error: unknown) => {
      // The document is paid for, so it is delivered with or without a signature.
      onTrouble(`A document is delivered without a signed receipt: ${errorMessage(error)}`);
      return receipt;
    });
    return encodePaymentResponseHeader(signed);
  }

  return {
    read,
    async deliver(c, paid, known) {
      const {sale, lease, archived} = paid;
      const bytes = known ?? (await bytesOf(c, paid));
      if (bytes instanceof Response) {
        if (lease) services.keepAlive(lease.sent('cut off').catch(() => undefined));
        return bytes;
      }
      c.set('sale', sale);
      const response = c.body(bytes, 200, {
        ...commonHeaders,
        'Content-Type': offer.rule.type,
        'Content-Length': String(bytes.length),
        'Cache-Control': cacheControl.paid,
        'PAYMENT-RESPONSE': await receiptFor(paid),
      });
      if (lease) recordDelivery(c, paid, services);
      if (archived === undefined) archive(bytes);
      return response;
    },
  };
}

/** Records how the answer was sent, when that is known. */
function recordDelivery(c: Context<GateEnv>, {sale, lease}: PaidSale, {observer, keepAlive}: PaymentServices): void {
  const {sent} = (c.env as Partial<GateEnv['Bindings']> | undefined) ?? {};
  // An embedder that does not report it does not know.
  const recorded = (sent?.() ?? Promise.resolve('unknown' as const)).then(sending => {
    observer?.delivered(sale, sending !== 'cut off');
    return lease?.sent(sending);
  });
  // If it cannot be recorded, the lease ends by itself, and the document can be collected again.
  keepAlive(recorded.catch(() => undefined));
}

/** Answers that the document cannot be delivered, before anything is charged. */
export const NOT_DELIVERABLE: Problem = {
  status: 503,
  title: 'Not deliverable',
  detail: 'This document cannot be delivered at the moment. This request charges nothing.',
};

const NOT_ARCHIVED: Problem = {
  status: 410,
  title: 'No longer available',
  detail: 'You paid for this document, but its bytes are no longer kept here.',
};
