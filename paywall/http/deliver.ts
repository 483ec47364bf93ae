import {encodePaymentResponseHeader} from '@x402/core/http';
import type {Context} from 'hono';
import {cacheControl} from '../../shared/paths.ts';
import {archiver, openArchived} from '../payments/sales/archive.ts';
import type {OnTrouble} from '../payments/facilitator/facilitator.ts';
import type {Observer} from '../payments/facilitator/observer.ts';
import type {Offer} from '../payments/protocol/offer.ts';
import type {PaidSale} from '../payments/sales/paid-sale.ts';
import type {PaymentServices} from '../payments/services.ts';
import {withReceipt} from '../payments/protocol/signed-receipt.ts';
import {errorMessage} from '../../shared/error-message.ts';
import {cannotBeRead, isIntact, type Documents} from '../site/documents.ts';
import type {PaidItem} from '../site/site.ts';
import type {Sign} from '../site/site-signer.ts';
import {clientOf} from './client.ts';
import {commonHeaders} from './common-headers.ts';
import type {GateEnv} from './gate-env.ts';
import {problem, type Problem} from './problem.ts';
import {retryLater} from './retry-later.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A document that is ready to be sent. */
interface OpenDocument {
  /** In bytes. */
  readonly length: number;
  readonly body: Bytes | ReadableStream<Bytes>;
}

/** Delivers one paid document. */
export interface Delivery {
  /**
   * Reads the document for sale and archives it, so that its buyer gets it also after a crash or a new build. Returns undefined if it is
   * not the file in the catalogue. Rejects if the ledger fails.
   */
  readonly prepare: () => Promise<Bytes | undefined>;
  /**
   * Answers with the document of a paid sale, and records whether it was sent. No other function answers 200 on a paid path. Ignores
   * `Range` and `If-None-Match`.
   *
   * @param bytes the document for sale if it was read already
   */
  readonly deliver: (c: Context<GateEnv>, paid: PaidSale, bytes?: Bytes) => Promise<Response>;
}

/** Returns the delivery of the document of an offer. */
export function openDelivery(
  offer: Offer,
  {file, listed}: PaidItem,
  documents: Documents,
  services: PaymentServices,
  {sign, onTrouble = () => undefined}: {readonly sign?: Sign | undefined; readonly onTrouble?: OnTrouble | undefined},
): Delivery {
  const archive = archiver(offer, services);
  // Documents stay in memory between sales, and hashing 25 MB takes longer than everything else.
  const intact = new WeakSet<Bytes>();
  let isReported = false;

  /** Reads the document for sale. If it is not the file in the catalogue, returns undefined and reports it, once until it is right again. */
  async function read(): Promise<Bytes | undefined> {
    let reason = 'it is not the file that the catalogue lists';
    const bytes = await documents.read(file, error => {
      reason = `it ${cannotBeRead(error)}`;
    });
    if (bytes && (intact.has(bytes) || (await isIntact(bytes, listed)))) {
      intact.add(bytes);
      isReported = false;
      return bytes;
    }
    if (!isReported) onTrouble(`${file} is not sold, because ${reason}. Unless a build is running, build again.`);
    isReported = true;
    return undefined;
  }

  /** Opens the document of a sale, or returns an error response. */
  async function open(c: Context<GateEnv>, {archived}: PaidSale, known?: Bytes): Promise<OpenDocument | Response> {
    if (archived !== undefined) {
      const opened = await openArchived({url: offer.url, sha256: archived}, services.ledger, onTrouble).catch(
        () => null,
      );
      return opened ?? (opened === null ? retryLater(c, 'unavailable') : problem(NOT_ARCHIVED));
    }
    const bytes = known ?? (await read());
    if (!bytes) return problem(NOT_DELIVERABLE);
    return {length: bytes.length, body: bytes};
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
    async prepare() {
      const bytes = await read();
      if (bytes) await archive(bytes);
      return bytes;
    },
    async deliver(c, paid, known) {
      const {lease, archived} = paid;
      // All readers share the bytes of the document for sale. Each reader of an archived document takes memory.
      const leave = archived === undefined ? () => undefined : services.downloads.enter({client: clientOf(c)});
      const document = leave ? await open(c, paid, known) : retryLater(c, 'busy');
      if (document instanceof Response) {
        leave?.();
        if (!lease) return document;
        services.keepAlive(lease.sent('cut off').catch(() => undefined));
        return document.status === 503 ? problem(NOT_DELIVERED) : document;
      }
      c.set('paid', paid);
      const response = c.body(document.body, 200, {
        ...commonHeaders,
        'Content-Type': offer.rule.type,
        'Content-Length': String(document.length),
        'Cache-Control': cacheControl.paid,
        'PAYMENT-RESPONSE': await receiptFor(paid),
      });
      if (lease || archived !== undefined)
        services.keepAlive(recordDelivery(c, paid, services.observer).finally(leave));
      return response;
    },
  };
}

/** Records how the answer was sent, when that is known. */
async function recordDelivery(c: Context<GateEnv>, {sale, lease}: PaidSale, observer?: Observer): Promise<void> {
  const {sent} = (c.env as Partial<GateEnv['Bindings']> | undefined) ?? {};
  // An embedder may not report whether the answer was sent.
  const sending = (await sent?.()) ?? 'unknown';
  if (!lease) return;
  observer?.delivered(sale, sending !== 'cut off');
  // If it cannot be recorded, the lease ends by itself, and the document can be collected again.
  await lease.sent(sending).catch(() => undefined);
}

/** Answers that the document cannot be delivered, before anything is charged. */
export const NOT_DELIVERABLE: Problem = {
  status: 503,
  title: 'Not deliverable',
  detail: 'This document cannot be delivered at the moment. This request charges nothing.',
};

/** Answers that the document of a sale cannot be delivered, which this request may have charged. */
const NOT_DELIVERED: Problem = {
  status: 503,
  title: 'Not delivered yet',
  detail:
    'This document is paid for, but cannot be delivered at the moment. Send the request again: what was paid is not charged twice.',
};

const NOT_ARCHIVED: Problem = {
  status: 410,
  title: 'No longer available',
  detail: 'You paid for this document, but its bytes are no longer kept here.',
};
