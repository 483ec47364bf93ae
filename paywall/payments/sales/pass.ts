import type {Rule} from '../../../shared/shapes.ts';
import type {Buyer} from '../../ledger/ledger.ts';
import type {Sale} from '../../ledger/sale.ts';
import type {Offer} from '../protocol/offer.ts';
import type {PaymentServices} from '../services.ts';

/** Returns the buyer's pass that includes the document for sale, if there is one. */
export async function passOf(buyer: Buyer, offer: Offer, {ledger}: PaymentServices): Promise<Sale | undefined> {
  // Also if the bundle is no longer a pass, because the terms of the sale count.
  if (!offer.rule.snapshots) return undefined;
  const passes = await ledger.passes(buyer);
  return passes.find(sale => includes(sale, offer.rule));
}

/**
 * True if a pass includes the snapshot for sale: its products have at most as many later snapshots as were sold. A product that joined the
 * bundle later does not count.
 */
export function includes(
  {asOf, laterSnapshots, members}: Pick<Sale, 'asOf' | 'laterSnapshots' | 'members'>,
  {snapshots = {}}: Pick<Rule, 'snapshots'>,
): boolean {
  const sold = members.filter(name => Object.hasOwn(snapshots, name));
  const later = new Set(sold.flatMap(name => snapshots[name] ?? []).filter(as_of => as_of > asOf));
  return sold.length > 0 && later.size <= laterSnapshots;
}
