import {InputError} from '../../shared/fault.ts';
import type {Offer} from './offer.ts';

/** Returns the checks for the sites and payees that a buyer allows. Throws `TypeError` if an entry is neither an origin nor an address. */
export function onlyThese(list: readonly string[]) {
  const payees = list.filter(isPayee).map(one => one.toLowerCase());
  const sites = list.filter(one => !isPayee(one)).map(originOf);
  return {
    refuseSite(origin: string): void {
      if (sites.length > 0 && !sites.includes(origin))
        throw new InputError({code: 'FZ604', file: origin, rule: 'is not among the sites of --only. Nothing was paid'});
    },
    refusePayee({file, terms}: Offer): void {
      const {payTo} = terms.requirements;
      if (payees.length > 0 && !payees.includes(payTo.toLowerCase()))
        throw new InputError({
          code: 'FZ604',
          file,
          field: 'payTo',
          value: payTo,
          rule: 'is not among the payees of --only. Nothing was paid',
        });
    },
  };
}

function isPayee(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new TypeError(
    `${text} is neither the origin of a site without user name, path and query, such as https://snapshots.example, nor the address of a payee, 0x…`,
  );
}
