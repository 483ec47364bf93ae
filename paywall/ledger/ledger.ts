import type {Move, NewSale, Sale, State} from './sale.ts';
import type {
  ContractRefusal,
  ContractSpending,
  Reservation,
  ReservationPage,
  SignedNonce,
  Signer,
} from './reservation.ts';

/** A payer and a document. */
export interface Buyer {
  readonly network: string;
  /** In lower case. */
  readonly payer: string;
  /** The URL of the document: absolute, because sites may share a ledger. */
  readonly url: string;
}

/** The most failed sales in `Entries`, so that a payer with many of them cannot make the answers large. */
export const MOST_FAILED = 100;

/** The sales in the ledger that decide how a payment is handled. */
export interface Entries {
  /** The sale of the same authorization. */
  readonly same: Sale | undefined;
  /** The open sale of the same document to the same payer. */
  readonly open: Sale | undefined;
  /** The sales of the same document to the same payer that failed, and that the chain may show as paid now. The latest `MOST_FAILED`. */
  readonly failed: readonly Sale[];
  /** Another sale with the same idempotency key, or the sale whose document was collected with that key. */
  readonly sameIdentifier: Sale | undefined;
  /** What the same authorization collected. */
  readonly collected: Collection | undefined;
}

/** The collection of a document with another authorization than the one that paid. */
export interface Collection {
  /** The sale that paid. */
  readonly sale: Sale;
  /** The digest of the document that was sent last. */
  readonly sha256: string;
  /** The idempotency key of the payment that collected. */
  readonly paymentId: string | null;
}

/** A collection, with the authorization and the idempotency key of the payment that collects. */
export interface NewCollection extends Pick<NewSale, 'key' | 'paymentId'> {
  /** The key of the sale that paid. */
  readonly sale: string;
  /** The digest of the document that is sent. */
  readonly sha256: string;
}

/** A document that was sold. The gate archives its bytes for the buyers. */
export interface SoldDocument {
  /** Absolute. */
  readonly url: string;
  readonly sha256: string;
}

/** The filters and the size of one page of the list of sales, oldest first. */
export interface Page {
  readonly states?: readonly State[];
  /** Only sales whose transaction is not final. */
  readonly notFinal?: boolean;
  /** Only sales that were settled by this transaction. */
  readonly transaction?: string | undefined;
  /** Only sales that started at this time or later, in milliseconds since 1970. */
  readonly from?: number | undefined;
  /** Only sales that started before this time. */
  readonly to?: number | undefined;
  /** Only sales after this one. */
  readonly after?: Pick<Sale, 'startedAt' | 'key'> | undefined;
  readonly limit: number;
}

/**
 * The ledger of a gate: durable, and shared by all processes of the gate. A change is on disk when its promise resolves. Every method
 * rejects if the ledger cannot be read or written.
 *
 * A process that works on a sale has a lease of some seconds, under a unique name (`holder`), and renews it. If the process dies, another
 * process can lease the sale.
 */
export interface Ledger {
  /**
   * Records a new sale under a lease of `holder`. Returns false if its authorization or its idempotency key is recorded already, with
   * a sale or a collection, or if its proven payer has an open sale of the document, or received it later than `since`. If several callers
   * start the same sale at once, one succeeds.
   *
   * @param since by the clock of the ledger
   */
  start(sale: NewSale, holder: string, since?: number): Promise<boolean>;
  /** Returns the time by the clock of the ledger, in milliseconds since 1970. */
  time(): Promise<number>;
  /** @param paymentId the idempotency key, if the buyer sent one */
  find(key: string, buyer: Buyer, paymentId?: string | null): Promise<Entries>;
  /** Deletes a leased sale whose payment was not sent to any facilitator. */
  withdraw(key: string, holder: string): Promise<void>;
  /** Leases a sale in one of these states. Returns undefined if it is in another state or is leased already. */
  lease(key: string, holder: string, states: readonly State[]): Promise<Sale | undefined>;
  /** Renews a lease. Returns false if it is lost. */
  renew(key: string, holder: string): Promise<boolean>;
  /**
   * Moves a leased sale to another state, and releases it unless `keepLease` is set. Returns false and changes nothing if the lease is lost,
   * if the table of states does not allow the move, or if the payer would have two open sales of the document.
   */
  move(key: string, holder: string, move: Move, keepLease?: boolean): Promise<boolean>;
  /** Records that the payer may have requested the sent document of a settled sale again: it counts as sent now. */
  markAwaited(key: string): Promise<void>;
  /** Records that the transaction is final. */
  markFinal(key: string): Promise<void>;
  /** Records the transaction that refunded a sale. Returns false if the sale or the transaction belongs to another refund already. */
  refund(key: string, transaction: string): Promise<boolean>;
  list(page: Page): Promise<Sale[]>;
  /** Returns the latest sale of these bytes to a buyer that is paid, not refunded, and recent enough for another download. */
  bought(buyer: Buyer, sha256: string): Promise<Sale | undefined>;
  /** Returns a buyer's passes for a document that are paid and not refunded, latest first. They may have ended. */
  passes(buyer: Buyer): Promise<Sale[]>;
  /** Records that a payer signed in with a nonce. Returns false if the payer used the nonce before. */
  signIn(payer: string, nonce: string): Promise<boolean>;
  /**
   * Records that an authorization collects the document that an earlier sale paid. From then on `start` refuses it: its client sends it again
   * if the answer is lost, and must not be charged.
   */
  recordCollection(collection: NewCollection): Promise<void>;
  /** Returns true if a document is archived completely, and then extends its archiving to at least this many days from now. */
  isArchived(document: SoldDocument, days: number): Promise<boolean>;
  /** Archives a part of a document for this many days. The caller writes the first part last: if it exists, all parts do. */
  archive(document: SoldDocument, part: number, content: string, days: number): Promise<void>;
  /** Returns the number of parts of a document that is archived completely, otherwise 0. */
  archivedParts(document: SoldDocument): Promise<number>;
  /** Returns a part of a document, or undefined after the last part. */
  archivedPart(document: SoldDocument, part: number): Promise<string | undefined>;
  /**
   * Deletes the archived documents that had expired when the latest sale started, collections that were older than a day then, and sign-ins
   * that are older than a day.
   */
  prune(): Promise<void>;
  /**
   * Deletes sales that were never paid and whose authorization expired more than a day ago, at most 10,000 at a time. Their payments cannot
   * be sent again, because an expired authorization is refused.
   */
  pruneSales(): Promise<void>;
  /** Reserves the next nonce of a signer for a sale: at least `from`, and above all that are reserved already. */
  reserveNonce(signer: Signer, key: string, from: number): Promise<number>;
  /** Reserves a nonce for a sale to a contract wallet. Returns the refusal if its transaction is not allowed. */
  reserveContractNonce(
    signer: Signer,
    key: string,
    from: number,
    spending: ContractSpending,
  ): Promise<number | ContractRefusal>;
  /** Returns the refusal if a transaction for a sale to a contract wallet is not allowed, otherwise null. */
  contractRefusal(signer: Signer, key: string, spending: ContractSpending): Promise<ContractRefusal | null>;
  /**
   * Records a signed transaction before it is sent. Rejects if another process recorded a transaction with the nonce since it was read: the
   * two transactions could differ, and only one would be mined.
   *
   * @param signed the nonce with the transactions that are recorded, as the caller knows them
   * @param cost the most gwei that its gas can cost
   */
  addTransaction(signer: Signer, signed: SignedNonce, transaction: `0x${string}`, cost: number): Promise<void>;
  /** Returns the first reserved nonces of a signer from `from` on, in order. With `sale`, only those reserved for that sale. */
  reservations(signer: Signer, page: ReservationPage): Promise<Reservation[]>;
  close(): Promise<void>;
}

/** How long a lease lasts, in milliseconds, unless it is renewed. */
export const LEASE_MS = 10_000;
