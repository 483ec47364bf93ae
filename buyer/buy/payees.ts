import type {Fault} from '../../shared/fault.ts';
import {NETWORKS} from './networks.ts';
import type {Offer} from './offer.ts';
import type {Payments} from './payments.ts';
import {paidAt} from './owned.ts';

/** Returns an error if an offer has another network or payee than earlier payments from this folder to the site. */
export async function changedPayee(folder: string, {site, file, terms}: Offer, payments: Payments): Promise<Fault[]> {
  const signed = payments.all.filter(one => one.site === site.origin && one.state !== 'unused');
  const before = [...(await paidAt(folder, site.origin)), ...signed];
  const {network, payTo} = terms.requirements;
  const isSame = (one: {network: string; payTo: string}) =>
    one.network === network && one.payTo.toLowerCase() === payTo.toLowerCase();
  const last = before.at(-1);
  if (!last || before.some(isSame)) return [];
  const nameOf = (one: string) => NETWORKS[one] ?? one;
  const rule = `asks to be paid on ${nameOf(network)} to ${payTo}, but this folder paid it on ${nameOf(last.network)} to ${last.payTo}. Nothing was paid`;
  const fix = 'Ask the publisher. `frozen buy --accept-rewritten` accepts the change.';
  return [{code: 'FZ613', file, rule, fix}];
}
