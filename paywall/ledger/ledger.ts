import type {Move, NewSale, Sale, State} from './sale.ts';
import type {Reservation, Signer} from './reservation.ts';

/** A payer and a document. */
export interface Buyer {
  readonly network: string;
  /** In lower case. */
  readonly payer: string;
  /** Absolute address of the document: sites may share a ledger. */
  readonly url: string;
}

/** The sales in the ledger that decide about a payment. */
export interface Entries {
  /** The sale of this very authorization. */
  readonly same: Sale | undefined;
  /** The open sale of the same document to the same payer. */
  readonly open: Sale | undefined;
  /** The latest declined sale of the same document to the same payer whose authorization can still be used. */
  readonly declined: Sale | undefined;
  /** Another sale with the same idempotency key. */
  readonly sameIdentifier: Sale | undefined;
}

/** A document that was sold, of which the gate archives the bytes for its buyers. */
export interface SoldDocument {
  /** Absolute address. */
  readonly url: string;
  readonly sha256: string;
}

/** A page of the ledger, oldest sale first. */
export interface Page {
  readonly states?: readonly State[];
  /** Only sales whose transaction is not final. */
  readonly notFinal?: boolean;
  /** Settled by this transaction. */
  readonly transaction?: string;
  /** Started at this time or later, in milliseconds since 1970. */
  readonly from?: number;
  /** Started before this time. */
  readonly to?: number;
  /** Only sales after this one. */
  readonly after?: Pick<Sale, 'startedAt' | 'key'>;
  readonly limit: number;
}

/**
 * The ledger of a gate: durable, and shared by all its processes. What resolves is on disk. Every method rejects if the ledger cannot be
 * read or written.
 *
 * A process that works on a sale holds a lease of some seconds, under a name of its own (`holder`), and renews it. If the process dies,
 * another one can lease the sale.
 */
export interface Ledger {
  /**
   * Records a new sale under a lease of `holder`. Returns false if its authorization or its idempotency key is recorded already, or its
   * proven payer has an open sale of the document. Of concurrent callers one wins.
   */
  start(sale: NewSale, holder: string): Promise<boolean>;
  /** @param paymentId the idempotency key, if the buyer sent one */
  find(key: string, buyer: Buyer, paymentId?: string | null): Promise<Entries>;
  /** Deletes a sale that is leased: no facilitator heard of its payment. */
  withdraw(key: string, holder: string): Promise<void>;
  /** Leases a sale in one of these states. Returns undefined if it is in another state, or another process leases it. */
  lease(key: string, holder: string, states: readonly State[]): Promise<Sale | undefined>;
  /** Renews a lease. Returns false if it is lost. */
  renew(key: string, holder: string): Promise<boolean>;
  /**
   * Moves a leased sale to another state, and releases it unless `keepLease` is set. Returns false, and changes nothing, if the lease is lost,
   * the table of states does not allow the move, or the payer would have two open sales of the document.
   */
  move(key: string, holder: string, move: Move, keepLease?: boolean): Promise<boolean>;
  /** Records that the transaction is final. */
  markFinal(key: string): Promise<void>;
  /** Records the transaction that refunded a sale. Returns false if the sale has another one, or the transaction another sale. */
  refund(key: string, transaction: string): Promise<boolean>;
  list(page: Page): Promise<Sale[]>;
  /**
   * The latest sale of these bytes to a buyer that is paid and not refunded, and whose days for another download are not over.
   *
   * @param days for sales of former versions, which did not record them
   */
  bought(buyer: Buyer, sha256: string, days: number): Promise<Sale | undefined>;
  /** The passes of a buyer for a document that are paid and not refunded, the latest first. They may have ended. */
  passes(buyer: Buyer): Promise<Sale[]>;
  /** Records that a payer signed in with a nonce. Returns false if that is recorded already. */
  signIn(payer: string, nonce: string): Promise<boolean>;
  /** Whether a document is archived completely. If so, it stays for at least this many days from now. */
  isArchived(document: SoldDocument, days: number): Promise<boolean>;
  /** Archives a part of a document for this many days. The first part is written last, so if it exists, all do. */
  archive(document: SoldDocument, part: number, content: string, days: number): Promise<void>;
  /** A part of a document, or undefined after the last one. */
  archivedPart(document: SoldDocument, part: number): Promise<string | undefined>;
  /**
   * Deletes the documents of a site whose days are over, and nonces older than a day.
   *
   * @param days for documents that a former version archived
   */
  prune(baseUrl: string, days: number): Promise<void>;
  /** Reserves the next nonce of a signer for a sale: at least `from`, and never one that is reserved already. */
  reserveNonce(signer: Signer, key: string, from: number): Promise<number>;
  /** Records a signed transaction before it is sent. */
  addTransaction(signer: Signer, nonce: number, transaction: `0x${string}`): Promise<void>;
  /** The nonces of a signer from `from`, in order; with `key`, only those reserved for this sale. */
  reservations(signer: Signer, from: number, key?: string): Promise<Reservation[]>;
  close(): Promise<void>;
}

/** How long a lease lasts, in milliseconds, unless it is renewed. */
export const LEASE_MS = 10_000;
