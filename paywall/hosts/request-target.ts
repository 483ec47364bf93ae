import type {IncomingMessage} from 'node:http';

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/i;
/** The host for a request of HTTP/1.0, which need not name one. */
const DEFAULT_HOST = 'localhost';

/**
 * Converts the target of a request to origin form, and sets the host that RFC 9112, section 3.2, determines: the authority of a target in
 * absolute form replaces the header. Removes the host of a request that must be answered with 400, because Hono's listener refuses a
 * request without a host. These are requests with several Host lines, with none in HTTP/1.1, or with user information in the target
 * (RFC 9110, section 4.2.4).
 */
export function resolveTarget(incoming: IncomingMessage): void {
  const {headers, rawHeaders, httpVersion} = incoming;
  const lines = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  const isValid = lines === 1 || (lines === 0 && httpVersion === '1.0');
  const [, authority = headers.host ?? DEFAULT_HOST, rest] = ABSOLUTE_FORM.exec(incoming.url ?? '') ?? [];
  if (rest !== undefined) incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
  headers.host = isValid && !authority.includes('@') ? authority : undefined;
}
