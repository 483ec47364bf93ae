import {InputError, refuse, type Fault} from '../../shared/fault.ts';
import {newQueue} from '../../shared/queue.ts';
import type {Catalogue} from '../../shared/shapes.ts';
import {today} from '../../shared/today.ts';
import {Examiner} from '../verify/examiner.ts';
import {onDisk, lockFolder} from './disk.ts';
import {refuseDropped, allOwned, ownedOf, type Bought, type Owned} from './owned.ts';
import {dealOf, unnamedFaults, type Consent} from './consent.ts';
import {openKnown} from './known-site.ts';
import {limitFaults, isOpen, Payments, type Payment} from './payments.ts';
import {dollarsOf} from './money.ts';
import {settingsOf, type BuyerOptions, type Settings} from './settings.ts';
import {targetOf} from './target.ts';
import {offerOf, refuseBadSample, refuseWithoutSchema, type Offer} from './offer.ts';
import {purchase} from './purchase.ts';
import {Seen} from './seen.ts';
import {isSold} from './sold.ts';

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
  const settings = settingsOf(options);
  const {folder, rpcUrl, acceptRewritten, wallet, network, max, budget, known} = settings;
  const inTurn = newQueue();

  async function lookAt(address: string, name?: string): Promise<Look> {
    await using examiner = openExaminer();
    const offer = await openOffer(address, name, settings, examiner);
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
    const offer = await openOffer(address, name, settings, examiner);
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
    budgetStatus: () => budgetStatusOf(settings),
  };
}

/** Reads the offer of a document. Throws `InputError` unless the buyer allows its site and payee. */
async function openOffer(
  address: string,
  name: string | undefined,
  {folder, known, network, only}: Settings,
  examiner: Examiner,
): Promise<Offer> {
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

async function budgetStatusOf({folder, max, budget}: Settings): Promise<BudgetStatus> {
  const payments = await Payments.read(folder);
  const left = Math.max(0, budget - payments.spentOn(today()));
  // Without the signature, which could be used to settle the payment.
  const open = payments.all.filter(isOpen).map(({site, name, sha256, amount, signedAt}) => {
    return {site, name, sha256, amount, signedAt};
  });
  return {max, budget, left, open};
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
