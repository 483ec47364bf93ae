import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {accountOfKey} from '../../shared/private-key.ts';
import {parseKeyText} from '../../shared/public-key.ts';
import {newQueue} from '../../shared/queue.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {today} from '../../shared/today.ts';
import {Examiner} from '../verify/examiner.ts';
import {onDisk, lockFolder} from './disk.ts';
import {refuseDropped, allOwned, ownedOf, type Bought, type Owned} from './owned.ts';
import {Wallet, type Account} from './authorize.ts';
import {dealOf, unnamedFaults, type Consent} from './consent.ts';
import {openKnown} from './known-site.ts';
import {limitFaults, isOpen, Payments, type Payment} from './payments.ts';
import {dollarsOf, microsOf} from './money.ts';
import {networkOf} from './networks.ts';
import {onlyThese, targetOf} from './target.ts';
import {offerOf, refuseBadSample, refuseWithoutSchema, type Offer} from './offer.ts';
import {purchase} from './purchase.ts';
import {Seen} from './seen.ts';
import {isSold} from './sold.ts';

/** The wallet, the folder and the limits of a buyer. */
export interface BuyerOptions {
  /** A private key of 64 hexadecimal digits, or an account as viem creates it. Without either, nothing can be paid. */
  readonly key?: string | undefined;
  readonly account?: Account | undefined;
  /** The folder for documents, receipts and the record of payments. Only one buyer can use it at a time. */
  readonly folder: string;
  /** The maximum price of a document, such as `$0.05`; by default $1. */
  readonly max?: string | undefined;
  /** The maximum for a day (UTC); by default $10. */
  readonly budget?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Buys although the site rewrote data that this folder has seen. The new state is remembered. */
  readonly acceptRewritten?: boolean | undefined;
  /** The key that signs the site, as `kid` or `x`; by default the key that the folder remembers from an earlier purchase. */
  readonly siteKey?: string | undefined;
  /** The network to pay on: `base`, `base-sepolia` or a CAIP-2 identifier. Real money is paid only on a network that is named here. */
  readonly network?: string | undefined;
  /** The only sites (origins) and payees (addresses) that may be paid. All sites are allowed if none is listed, and all payees likewise. */
  readonly only?: readonly string[] | undefined;
  /** A node of the chain, which shows the outcome of an interrupted payment. */
  readonly rpcUrl?: string | undefined;
}

/** In millionths of a dollar. */
const DEFAULT_MAX = 1_000_000;
const DEFAULT_BUDGET = 10_000_000;

/** A document before it is bought. */
export interface Look {
  readonly offer: Offer;
  /** The document in the folder, if it has the same bytes. */
  readonly owned: Owned | undefined;
  /** Why `buy` would refuse it because of the limits. */
  readonly limitFaults: readonly Fault[];
  /** Why `buy` would refuse it because the site rewrote data that this folder has seen. */
  readonly rewriteFaults: readonly Fault[];
}

/** The spending limits and the rest of the budget of the day (UTC), in millionths of a dollar. */
export interface BudgetStatus {
  readonly max: number;
  readonly budget: number;
  /** At least 0. */
  readonly left: number;
  /** Interrupted purchases, which `buy` continues. */
  readonly open: readonly Pick<Payment, 'site' | 'name' | 'sha256' | 'amount' | 'signedAt'>[];
}

/** Called with an offer before it is paid. */
export type Agree = (offer: Offer) => unknown;

/** Buys documents, one after the other, and never pays for one twice. All methods throw `InputError` for errors of a site or the folder. */
export interface Buyer {
  /** Reads the catalogue of a site: every product with its price and date. */
  catalogue(site: string): Promise<Catalogue>;
  /**
   * Reads everything about a document that is known before it is paid: terms, sample, schema. Signs nothing.
   *
   * @param name of a product, such as `softfail3`, or of a part or format of one: `softfail3-europe`, `softfail3.csv`
   */
  look(address: string, name?: string): Promise<Look>;
  /**
   * Buys a document, unless it is in the folder, or continues an interrupted purchase.
   *
   * @param agree is called right before a payment is signed. If it throws or returns `false`, nothing is paid. `true` agrees explicitly to
   * this offer, also to real money on a network that no option names
   */
  buy(address: string, name?: string, agree?: Agree): Promise<Bought>;
  /** All documents in the folder. */
  owned(): Promise<Owned[]>;
  budgetStatus(): Promise<BudgetStatus>;
}

/** Creates a buyer. Throws `TypeError` for invalid options; messages do not contain the key. */
export function buyer(options: BuyerOptions): Buyer {
  return buyerWith(options, () => new Examiner(new AbortController().signal));
}

/** Creates a buyer as `buyer` does. `openExaminer` returns the examiner of one operation, which disposes of it. */
export function buyerWith(options: BuyerOptions, openExaminer: () => Examiner): Buyer {
  const {folder, rpcUrl, acceptRewritten = false, fetch: fetcher = fetch} = options;
  if (!folder) throw new TypeError('folder is missing');
  const wallet = walletOf(options);
  const network = optionIn(options.network, networkOf, 'a network on which a buyer can pay');
  const only = onlyThese(options.only ?? []);
  const max = optionIn(options.max, microsOf, 'an amount such as $0.05') ?? DEFAULT_MAX;
  const budget = optionIn(options.budget, microsOf, 'an amount such as $0.05') ?? DEFAULT_BUDGET;
  const siteKey = optionIn(options.siteKey, parseKeyText, 'the kid or x of the key of a site');
  const known = {folder, fetch: fetcher, siteKey};
  const inTurn = newQueue();

  async function openOffer(address: string, name: string | undefined, examiner: Examiner): Promise<Offer> {
    const {origin, name: wanted} = targetOf(address, name);
    if (wanted === undefined)
      throw new InputError({code: 'FZ614', url: origin, rule: 'sells several products', fix: 'Name one of them.'});
    only.refuseSite(origin);
    const read = async () => {
      const site = await openKnown(origin, known, examiner);
      if (!isSold(site.catalogue, wanted)) await refuseDropped(folder, origin, wanted);
      const offer = await offerOf(site, wanted, network);
      await refuseBadSample(offer, examiner);
      only.refusePayee(offer);
      return offer;
    };
    // If the site is built again between two of its answers, they contradict each other, so reading is tried twice.
    return read().catch((error: unknown) => {
      if (error instanceof InputError) return read();
      throw error;
    });
  }

  async function lookAt(address: string, name?: string): Promise<Look> {
    await using examiner = openExaminer();
    const offer = await openOffer(address, name, examiner);
    await refuseWithoutSchema(offer, examiner);
    const payments = await Payments.read(folder);
    const owned = await ownedOf(folder, offer.document.listed.sha256);
    const open = payments.openOf(offer.site.origin, offer.document.name);
    const rewrites = open ? [] : await rewritesOf(offer, payments, examiner);
    const rewriteFaults = owned ? rewrites.filter(isOfData) : rewrites;
    return {offer, owned, rewriteFaults, limitFaults: owned || open ? [] : limitFaults(offer, {payments, max, budget})};
  }

  async function rewritesOf(offer: Offer, payments: Payments, examiner: Examiner): Promise<Fault[]> {
    return acceptRewritten ? [] : (await Seen.read(folder, offer.site.origin)).rewrites(offer, payments, examiner);
  }

  async function buyNow(address: string, name?: string, agree?: Agree): Promise<Bought> {
    if (!wallet)
      throw new InputError({code: 'FZ504', subject: 'The wallet', rule: 'is missing, so nothing can be paid'});
    using lock = lockFolder(folder);
    await using examiner = openExaminer();
    const offer = await openOffer(address, name, examiner);
    const payments = await Payments.read(lock.folder);
    const open = payments.openOf(offer.site.origin, offer.document.name);
    const rewrites = await rewritesOf(offer, payments, examiner);
    // An interrupted purchase may be paid, so it continues. A new one is refused before it is signed. Another payee is refused only if
    // something is to be paid.
    if (!open) refuse(rewrites.filter(isOfData));
    const remember = async () => {
      if (rewrites.length === 0) await (await Seen.read(folder, offer.site.origin)).remember(offer);
    };
    const agreed = async (now: Offer): Promise<Consent> => {
      const interrupted = payments.openOf(now.site.origin, now.document.name);
      refuse(rewrites.length > 0 && interrupted ? [...rewrites, uncollected(now, interrupted)] : rewrites);
      const deal = dealOf(now);
      const answer = await agree?.(now);
      if (answer === false)
        throw new InputError({code: 'FZ604', url: now.url, rule: 'was not agreed to. Nothing was paid'});
      if (answer !== true) refuse(unnamedFaults(now, network));
      // Before anything is signed, so that the next purchase recognises the site, even if this one is interrupted.
      await remember();
      return {kind: 'terms', deal};
    };
    if (open && (await ownedOf(folder, open.sha256))) await payments.move(open, 'closed');
    const owned = await ownedOf(folder, offer.document.listed.sha256);
    const context = {wallet, payments, folder, max, budget, examiner, rpcUrl, agree: agreed};
    const bought: Bought = owned ? {kind: 'owned', folder: owned.folder} : await purchase(offer, context);
    await remember();
    return bought;
  }

  return {
    async catalogue(site) {
      const {origin} = targetOf(site);
      await using examiner = openExaminer();
      return await onDisk(folder, async () => (await openKnown(origin, known, examiner)).catalogue);
    },
    look: (address, name) => onDisk(folder, () => lookAt(address, name)),
    buy: (address, name, agree) => inTurn(() => onDisk(folder, () => buyNow(address, name, agree))),
    owned: () => onDisk(folder, () => allOwned(folder)),
    async budgetStatus() {
      const payments = await Payments.read(folder);
      const left = Math.max(0, budget - payments.spentOn(today()));
      // Without the signature, which could be used to settle the payment.
      const open = payments.all.filter(isOpen).map(({site, name, sha256, amount, signedAt}) => {
        return {site, name, sha256, amount, signedAt};
      });
      return {max, budget, left, open};
    },
  };
}

/** True for the errors of `rewritesOf` that are not about the payee. */
function isOfData({code}: Fault): boolean {
  return code !== 'FZ613';
}

/** Returns the error about an interrupted payment. Its document can be collected if the buyer accepts the new terms of the site. */
function uncollected({url}: Offer, {amount}: Payment): Fault {
  return {
    code: 'FZ605',
    url,
    rule: `has an interrupted payment of ${dollarsOf(Number(amount))}, which may have been charged`,
    fix: 'Run the command with `--accept-rewritten` within 24 hours of the payment. If it was charged, the document is collected, and nothing more is paid.',
  };
}

function walletOf({key, account}: BuyerOptions): Wallet | undefined {
  if (key !== undefined && account !== undefined) throw new TypeError('key and account exclude each other');
  const payer = key === undefined ? account : accountOfKey(key);
  if (key !== undefined && !payer) throw new TypeError('key is not a private key of 64 hexadecimal digits');
  try {
    return payer && new Wallet(payer);
  } catch (cause) {
    throw new TypeError(`${payer?.address} is not the address of an account`, {cause});
  }
}

/** Parses an option, if it is given. Throws `TypeError` if it is invalid. */
function optionIn<T>(text: string | undefined, parse: (text: string) => T, what: string): T | undefined {
  try {
    return text === undefined ? undefined : parse(text);
  } catch (cause) {
    throw new TypeError(`${text} is not ${what}`, {cause});
  }
}
