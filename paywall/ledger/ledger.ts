import type {Move, NewSale, Sale, State} from './sale.ts';
import type {Numbered, Signer} from './transaction.ts';

/** Which document is owed to whom. */
export interface Debtor {
  readonly network: string;
  /** In lower case. */
  readonly payer: string;
  /** Absolute address of the document: sites may share a ledger. */
  readonly url: string;
}

/** The sales in the books that decide whether a payment is taken. */
export interface Entries {
  /** The sale of this very authorization. */
  readonly same: Sale | undefined;
  /** The open sale of the same document to the same payer. */
  readonly open: Sale | undefined;
  /** The latest declined sale of the same document to the same payer whose authorization can still be used. */
  readonly declined: Sale | undefined;
  /** Another sale that its buyer has given the same name. */
  readonly namesake: Sale | undefined;
}

/** The bytes of a document that was sold, as the publisher keeps them for its buyers. */
export interface KeptDocument {
  /** Absolute address. */
  readonly url: string;
  readonly sha256: string;
}

/** The sales by which a payer owns a document. */
export interface Wanted {
  /** Sales of these very bytes, as they were offered. */
  readonly sha256: string;
  /** They count for this many days after they were settled. */
  readonly days: number;
  /** Where the document is a pass: sales of snapshots of this moment or later count too, whenever they were settled. */
  readonly since?: string | undefined;
}

/** A page of the books, oldest first. */
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
  readonly after?: Pick<Sale, 'claimedAt' | 'key'>;
  readonly limit: number;
}

/**
 * The books of a gate: durable, and shared by all its processes. Whatever resolves is on disk. Every method rejects where the
 * books cannot be read or written.
 *
 * Who works on a sale has it *in hand* under a name of its own, for a few seconds that can be renewed: where a process dies,
 * another takes over.
 */
export interface Ledger {
  /**
   * Claims an authorization, and with it the payer's one open sale of the document and the buyer's own name for the payment, in the
   * hand of `holder`. One of many callers wins; for the others it is false.
   */
  claim(sale: NewSale, holder: string): Promise<boolean>;
  /** @param paymentId the buyer's own name for the payment, where they gave it one */
  find(key: string, debtor: Debtor, paymentId?: string | null): Promise<Entries>;
  /** Deletes a sale that is leased: no facilitator heard of its payment. */
  withdraw(key: string, holder: string): Promise<void>;
  /** Takes a sale in hand that is in one of these states; undefined where it is in another, or somebody else has it. */
  take(key: string, holder: string, states: readonly State[]): Promise<Sale | undefined>;
  /** Keeps it in hand for longer; false where it is lost. */
  renew(key: string, holder: string): Promise<boolean>;
  /**
   * Moves a sale on that is in hand; false, and nothing changes, where it is not any more, or cannot move there: by the table, or because it
   * would be open beside another of the payer's. It stays in hand where `keep` says so.
   */
  move(key: string, holder: string, move: Move, keep?: boolean): Promise<boolean>;
  /** Notes that the chain keeps the transaction for good. */
  confirm(key: string): Promise<void>;
  /** Notes that a transaction has paid the money of a sale back; false where another one is noted already, or this one of another sale. */
  refund(key: string, transaction: string): Promise<boolean>;
  list(page: Page): Promise<Sale[]>;
  /** The latest sale by which a payer owns a document: it was paid and not paid back. */
  bought(debtor: Debtor, wanted: Wanted): Promise<Sale | undefined>;
  /** Notes that a payer has signed in with a nonce; false where they have done so before. */
  signIn(payer: string, nonce: string): Promise<boolean>;
  /** Whether a document is kept, from the first part to the last; if so, it counts as sold now. */
  keepOn(document: KeptDocument): Promise<boolean>;
  /** Keeps a part of a document, unless it is kept already. The first part comes last: where it is kept, all are. */
  keep(document: KeptDocument, part: number, content: string): Promise<void>;
  /** A part of a document; nothing behind the last one. */
  kept(document: KeptDocument, part: number): Promise<string | undefined>;
  /** Forgets the documents of a site that were not sold for so many days, and the nonces of yesterday. */
  forget(baseUrl: string, days: number): Promise<void>;
  /** Reserves the next number of a signer for a sale: none that was reserved before, and at least `from`. */
  reserve(signer: Signer, key: string, from: number): Promise<number>;
  /** Notes a transaction that is signed and not sent yet. */
  addSigned(signer: Signer, nonce: number, transaction: `0x${string}`): Promise<void>;
  /** The numbers of a signer from `from` on, in order; with `key`, only those reserved for this sale. */
  numbers(signer: Signer, from: number, key?: string): Promise<Numbered[]>;
  close(): Promise<void>;
}

/** How long a sale stays in hand, in milliseconds, unless it is renewed. */
export const HELD_MS = 10_000;
