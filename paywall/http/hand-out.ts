import type {Context} from 'hono';
import type {Hand} from '../payments/hand.ts';
import {keeper} from '../payments/kept.ts';
import type {Offer} from '../payments/offer.ts';
import type {Till} from '../payments/till.ts';
import type {GateEnv} from './exact-path.ts';

/** Follows a document on its way to who has paid for it. */
export type HandOut = (c: Context<GateEnv>, hand: Hand) => void;

/** Writes down whether answers have left, for what was cut off is owed, and has the bytes of an offer kept that is sold. */
export function handingOut(offer: Offer, till: Till): HandOut {
  const keep = keeper(offer, till);
  return function handOut(c, hand) {
    c.set('sale', hand.sale);
    const {sent} = (c.env as Partial<GateEnv['Bindings']> | undefined) ?? {};
    const isSent = c.res.status === 200 ? (sent?.() ?? Promise.resolve(true)) : Promise.resolve(false);
    const written = isSent.then(isSent => {
      if (c.res.status === 200) till.observer?.delivered(hand.sale, isSent);
      return hand.handedOut(isSent, till.knowsHangUps);
    });
    till.keepAlive(written.catch(() => undefined)); // it lets itself go, and is owed
    const bytes = c.get('bytes');
    if (bytes) keep(bytes);
  };
}
