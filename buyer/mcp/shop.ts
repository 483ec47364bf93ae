import {readFile} from 'node:fs/promises';
import {InputError} from '../../shared/fault.ts';
import {paths, type DocumentName} from '../../shared/paths.ts';
import {newQueue} from '../../shared/queue.ts';
import {soldBy, type Catalogue} from '../../shared/shapes.ts';
import {buyer, type Look, type BudgetStatus} from '../buy/buyer.ts';
import type {BuyerOptions} from '../buy/settings.ts';
import {unnamedFaults} from '../buy/consent.ts';
import {onDisk} from '../buy/disk.ts';
import type {Offer} from '../buy/offer.ts';
import {ownedOf, type Bought, type Owned} from '../buy/owned.ts';
import {openKnown} from '../buy/known-site.ts';
import {readListed, type LiveSite} from '../buy/site.ts';
import {entryOf} from '../verify/catalogue.ts';
import {passed, type Check} from '../verify/check.ts';
import {Examiner} from '../verify/examiner.ts';

export interface ShopOptions extends Omit<BuyerOptions, 'fetch' | 'key'> {
  readonly origin: string;
  /** In millionths of a dollar. The user must agree to higher prices. */
  readonly askAbove: number;
  /** Aborted when the server stops: no further payment is signed. */
  readonly stopping: AbortSignal;
  /** Called with unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** Time limits in seconds for verifying a document. */
const VERIFYING = {requestTimeout: 10, totalTimeout: 120} as const;

/** The time that a call has to read the site. Many clients wait a minute for an answer. A later error would not reach them. */
const READING_MS = 45_000;

/** One site, folder and budget for all sessions of a server. */
export class Shop {
  readonly options: ShopOptions;
  readonly #reading = newLane();
  readonly #paying = newLane();
  readonly #calls = new Set<Promise<unknown>>();
  readonly #payer;

  constructor(options: ShopOptions) {
    this.options = options;
    this.#payer = buyer(options);
  }

  catalogue(signal: AbortSignal, origin = this.options.origin): Promise<Catalogue> {
    return this.#read(origin, signal, site => Promise.resolve(site.catalogue));
  }

  /** Returns the text of a free document, after checking its digest. */
  free(name: string, part: Exclude<DocumentName, 'paid'>, signal: AbortSignal): Promise<string> {
    return this.#read(this.options.origin, signal, async site => {
      const {sample, schemas, history} = entryOf(site.catalogue, name);
      const listed = {sample, sampleSchema: schemas.sample, paidSchema: schemas.paid, history};
      return new TextDecoder().decode(await readListed(site, paths[part](name), listed[part]));
    });
  }

  /**
   * Adds an error for real money if the server was started without a network, because an agent repeats the network that the site names.
   *
   * @param network the network to pay on, unless the server was started with one
   */
  async look(name: string, signal: AbortSignal, network?: string): Promise<Look> {
    const {origin, network: named} = this.options;
    const looking = buyer({...this.options, network: named ?? network, fetch: fetchUntil(signal)});
    const look = await this.#reading(signal, () => looking.look(origin, name));
    const unnamed = look.owned ? [] : unnamedFaults(look.offer, named);
    return {...look, limitFaults: [...look.limitFaults, ...unnamed]};
  }

  /** Buys one document after the other. A started purchase continues after its request is cancelled, because it may already be paid. */
  buy(name: string, network: string, agree: (offer: Offer) => void, signal: AbortSignal): Promise<Bought> {
    const payer = buyer({...this.options, network});
    return this.#paying(signal, () =>
      payer.buy(this.options.origin, name, offer => {
        signal.throwIfAborted();
        agree(offer);
      }),
    );
  }

  track<T>(call: Promise<T>): Promise<T> {
    this.#calls.add(call);
    return call.finally(() => this.#calls.delete(call));
  }

  /** Resolves when all calls that buy have their answer. */
  async settled(): Promise<void> {
    await Promise.all(this.#calls);
  }

  budgetStatus(): Promise<BudgetStatus> {
    return this.#payer.budgetStatus();
  }

  /** Returns all documents in the folder, newest first. */
  async owned(): Promise<Owned[]> {
    return (await this.#payer.owned()).sort((a, b) => Number(a.as_of < b.as_of) - Number(a.as_of > b.as_of));
  }

  /** Returns a document in the folder and its bytes. Throws `InputError` if there is none with this digest. */
  document(sha256: string): Promise<Owned & {readonly bytes: Buffer}> {
    const {folder} = this.options;
    return onDisk(folder, async () => {
      const owned = await ownedOf(folder, sha256);
      if (!owned)
        throw new InputError({code: 'FZ606', file: folder, rule: `contains no document with the SHA-256 ${sha256}`});
      return {...owned, bytes: await readFile(owned.file)};
    });
  }

  /** Returns the path and text of a document in the folder. Throws `InputError` for Parquet, which is not text. */
  async text(sha256: string): Promise<{readonly file: string; readonly text: string}> {
    const {file, format, bytes} = await this.document(sha256);
    if (format === 'parquet')
      throw new InputError({
        code: 'FZ606',
        file,
        rule: 'is Parquet, not text',
        fix: 'Read the file with another tool.',
      });
    return {file, text: bytes.toString('utf8')};
  }

  /**
   * Verifies a document in the folder: against the catalogue if its site still sells it, otherwise a JSON document against its schema, if
   * the site still has its product. A CSV or Parquet file that is no longer sold can only be compared with its digest.
   */
  async verify(sha256: string, signal: AbortSignal): Promise<{isForSale: boolean; checks: Check[]}> {
    const {file, format, site: origin, product} = await this.document(sha256);
    const {products, signing} = await this.catalogue(signal, origin);
    const isForSale = products.flatMap(soldBy).some(sold => sold.sha256 === sha256);
    if (!isForSale && format !== 'json')
      // `document` has already checked the digest.
      return {isForSale, checks: [passed('document', file, `has the SHA-256 ${sha256} that was bought`)]};
    // `verifyDocument` opens the site again, so it gets the key that was just checked.
    const isListed = products.some(({name}) => name === product);
    const schema = isListed ? origin + paths.paidSchema(product) : undefined;
    const against = isForSale ? {site: origin, siteKey: signing?.x} : {schema};
    const {verifyDocument} = await import('../verify/verify-document.ts');
    const checks = await this.#reading(signal, () => verifyDocument(file, {...against, ...VERIFYING}));
    return {isForSale, checks};
  }

  #read<T>(origin: string, signal: AbortSignal, work: (site: LiveSite) => Promise<T>): Promise<T> {
    const fetcher = fetchUntil(signal);
    return this.#reading(signal, async () => {
      await using examiner = new Examiner(signal);
      const {folder, origin: own} = this.options;
      // The option applies to the shop's own site. A document may be from another one.
      const siteKey = origin === own ? this.options.siteKey : undefined;
      return await onDisk(folder, async () =>
        work(await openKnown(origin, {folder, siteKey, fetch: fetcher}, examiner)),
      );
    });
  }
}

/** Runs tasks one after the other, so that a client cannot start many at once. A task that is cancelled while it waits never starts. */
function newLane() {
  const inTurn = newQueue();
  return <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
    inTurn(() => {
      signal.throwIfAborted();
      return work();
    });
}

/** Returns a `fetch` for one call, which is aborted with the signal, or when the call takes too long. */
function fetchUntil(signal: AbortSignal): typeof fetch {
  const limit = new AbortController();
  setTimeout(() => {
    limit.abort(new TypeError(`there was no whole answer within ${READING_MS / 1000} s`));
  }, READING_MS).unref();
  return (input, init) =>
    fetch(input, {...init, signal: AbortSignal.any([limit.signal, signal, ...(init?.signal ? [init.signal] : [])])});
}
