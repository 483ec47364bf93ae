import {InputError} from '../../shared/fault.ts';
import {isLoopback} from '../../shared/loopback.ts';
import {shownAddress} from '../../shared/shown-address.ts';

/** The site, and the document if one is named. */
export interface Target {
  readonly origin: string;
  readonly name?: string | undefined;
}

const PAID_PATH = /^\/api\/v1\/([^/]+)$/;

/**
 * Parses the address of a site or of a paid document. Throws `InputError` if it is neither, if it is unencrypted (`http:` to another
 * machine), or if it names another document than `name`.
 */
export function targetOf(address: string, name?: string): Target {
  const fault = (rule: string) =>
    new InputError({code: 'FZ601', subject: shownAddress(address), rule}, {ofUsage: true});
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password !== '')
    throw fault('is not the address of a site without user name and password, such as https://snapshots.example');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw fault('is not https, so the connection would not be private');
  const [, named] = PAID_PATH.exec(url.pathname) ?? [];
  if (url.search + url.hash !== '' || (named === undefined && url.pathname !== '/'))
    throw fault(
      'is neither the origin of a site nor the address of a document, /api/v1/<name>, or it has a query or fragment',
    );
  if (named !== undefined && name !== undefined && named !== name) throw fault(`is not the address of ${name}`);
  return {origin: url.origin, name: name ?? named};
}
