import {SIGN_IN_WITH_X} from '@x402/extensions/sign-in-with-x';
import type {Context, MiddlewareHandler} from 'hono';
import type {Rules} from '../../shared/shapes.ts';
import {keptBytes} from '../payments/kept.ts';
import type {Offer} from '../payments/offer.ts';
import {ownershipOf, type Ownership} from '../payments/ownership.ts';
import {SHA256_HEADER} from '../payments/sign-in-terms.ts';
import {receiptOf} from '../payments/terms.ts';
import {UNAVAILABLE, type Till} from '../payments/till.ts';
import {UnderWay} from '../payments/under-way.ts';
import {challenge} from './challenge.ts';
import type {Confirm} from './confirm.ts';
import {delayed} from './delayed.ts';
import type {GateEnv} from './exact-path.ts';
import type {HandOut} from './hand-out.ts';
import {paidAnswer, type Deliver} from './paid-document.ts';
import {problem, type Problem} from './problem.ts';

/** Documents of former snapshots of one product that are read at a time. */
const MOST_READING = 4;

/** How documents leave the gate. */
interface Exit {
  /** Answers with the document that is for sale. */
  readonly deliver: Deliver;
  readonly confirm: Confirm;
  readonly handOut: HandOut;
}

/**
 * Lets who has paid for a document download it again: who signs in by the header SIGN-IN-WITH-X, and is the payer of a sale of these very
 * bytes. All others go on to the purchase, unless they name other bytes than those for sale.
 */
export function ownedDocument(
  offer: Offer,
  site: Rules,
  till: Till,
  {deliver, confirm, handOut}: Exit,
): MiddlewareHandler<GateEnv> {
  const reading = new UnderWay(MOST_READING);

  return async function ownedDocument(c, next) {
    const sha256 = c.req.header(SHA256_HEADER) ?? offer.snapshot.sha256;
    const signedIn = c.req.header(SIGN_IN_WITH_X);
    const isForSale = sha256 === offer.snapshot.sha256;
    if (signedIn === undefined && isForSale) return next();
    const ownership: Ownership =
      signedIn === undefined
        ? {kind: 'refused', reason: 'document_changed'}
        : await ownershipOf(signedIn, sha256, offer, till).catch(() => UNAVAILABLE);
    if (ownership.kind === 'delayed') return delayed(c, ownership.delay);
    if (ownership.kind === 'refused') {
      if (isForSale && c.req.header('PAYMENT-SIGNATURE') !== undefined) return next();
      return challenge(c, offer, site.title, ownership);
    }
    const {sale, hand} = ownership;
    c.set('sale', sale);
    c.res = isForSale
      ? await deliver(c)
      : ((await reading.run('', () => deliverKept(c, sha256))) ?? delayed(c, 'in_flight'));
    await confirm(c, sale, receiptOf(sale, sale.transaction ?? ''), {sha256, as_of: sale.asOf});
    if (hand) handOut(c, hand);
    return undefined;
  };

  async function deliverKept(c: Context<GateEnv>, sha256: string): Promise<Response> {
    const bytes = await keptBytes({url: offer.url, sha256}, till.ledger).catch(() => null);
    if (bytes === null) return delayed(c, 'unavailable');
    return bytes ? paidAnswer(c, bytes, offer.rule.type) : problem(keptNoMore);
  }
}

const keptNoMore: Problem = {
  status: 410,
  title: 'Kept no more',
  detail: 'You have paid for this document, and its bytes are not kept here any more.',
};
