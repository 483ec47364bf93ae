import {InputError, wrongUsage} from '../../shared/fault.ts';
import {isLoopback} from '../../shared/loopback.ts';
import {shownAddress} from '../../shared/shown-address.ts';
import type {Offer} from './offer.ts';

const PAID_PATH = /^\/api\/v1\/([^/]+)$/;

/**
 * Parses the address of a site or of a paid document: its origin, and the name of the document if one is named. Throws `InputError` if it
 * is neither, if it is unencrypted (`http:` to another machine), or if it names another document than `name`.
 */
export function targetOf(address: string, name?: string) {
  const shown = shownAddress(address);
  const fault = (rule: string) => wrongUsage({code: 'FZ601', url: shown, rule});
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    const rule = 'is not the address of a site, such as https://snapshots.example';
    throw wrongUsage({code: 'FZ601', subject: shown, rule});
  }
  if (url.username + url.password !== '') throw fault('has a user name or password, which must not be sent to a site');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw fault('is not https, so the connection would not be private');
  const [, named] = PAID_PATH.exec(url.pathname) ?? [];
  if (url.search + url.hash !== '') throw fault('has a query or fragment, which addresses of documents do not have');
  if (named === undefined && url.pathname !== '/')
    throw fault('is neither the origin of a site nor the address of a document, /api/v1/<name>');
  if (named !== undefined && name !== undefined && named !== name) throw fault(`is not the address of ${name}`);
  return {origin: url.origin, name: name ?? named};
}

/** Returns the checks for the sites and payees that a buyer allows. Throws `TypeError` if an entry is neither an origin nor an address. */
export function onlyThese(list: readonly string[]) {
  const notAmong = (allowed: string) => `is not among the ${allowed} of --only. Nothing was paid`;
  const payees = list.filter(isPayee).map(one => one.toLowerCase());
  const sites = list.filter(one => !isPayee(one)).map(originOf);
  return {
    refuseSite(origin: string): void {
      if (sites.length > 0 && !sites.includes(origin))
        throw new InputError({code: 'FZ604', url: origin, rule: notAmong('sites')});
    },
    refusePayee({url, terms}: Offer): void {
      const {payTo} = terms.requirements;
      if (payees.length > 0 && !payees.includes(payTo.toLowerCase()))
        throw new InputError({code: 'FZ604', url, field: 'payTo', value: payTo, rule: notAmong('payees')});
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
    `${text} is neither the origin of a site, such as https://snapshots.example, nor the address of a payee, 0x…`,
  );
}
