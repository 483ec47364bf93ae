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
  /** Another sale that its buyer has given the same name. */
  readonly sameIdentifier: Sale | undefined;
}

/** The bytes of a document that was sold, as the publisher keeps them for its buyers. */
export interface SoldDocument {
  /** Absolute address. */
  readonly url: string;
  readonly sha256: string;
}

/** The sales by which a payer owns a document. */
export interface Ownership {
  /** Sales of these very bytes, as they were offered. */
  readonly sha256: string;
  /** They count for this many days after they were settled. */
  readonly days: number;
  /** Where the document is a pass: sales of snapshots of this moment or later count too, whenever they were settled. */
  readonly since?: string | undefined;
}

/** A page of the ledger, oldest sale first. */
export interface Page {
  readonly states?: readonly State[];
  /** Only sales whose transaction the chain may still take back. */
  readonly notFinal?: boolean;
  /** Settled by this transaction. */
  readonly transaction?: string;
  /** Begun at this moment or later, in milliseconds since 1970. */
  readonly from?: number;
  /** Begun before this moment. */
  readonly to?: number;
  /** Behind this sale. */
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
  find(key: string, debtor: Buyer, paymentId?: string | null): Promise<Entries>;
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
  /** The latest sale by which a payer owns a document: paid and not refunded. */
  bought(debtor: Buyer, wanted: Ownership): Promise<Sale | undefined>;
  /** Records that a payer signed in with a nonce. Returns false if that is recorded already. */
  signIn(payer: string, nonce: string): Promise<boolean>;
  /** Whether a document is archived completely. If so, it counts as sold now. */
  isArchived(document: SoldDocument): Promise<boolean>;
  /** Archives a part of a document. The first part is written last, so if it exists, all do. */
  archive(document: SoldDocument, part: number, content: string): Promise<void>;
  /** A part of a document, or undefined after the last one. */
  archivedPart(document: SoldDocument, part: number): Promise<string | undefined>;
  /** Deletes the documents of a site that were not sold for this many days, and nonces older than a day. */
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
