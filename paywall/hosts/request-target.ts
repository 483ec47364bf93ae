import type {IncomingMessage} from 'node:http';

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/i;
/** Stands for the host of a request of HTTP/1.0, which needs none. */
const DEFAULT_HOST = 'localhost';

/**
 * Brings the target of a request into origin form, and gives it the host that RFC 9112, section 3.2, determines: the authority of a
 * target in absolute form replaces the header. A request that must be answered with 400 is left without a host, which Hono's listener
 * refuses: several Host lines, none in HTTP/1.1, or user information in the target (RFC 9110, section 4.2.4).
 */
export function resolveTarget(incoming: IncomingMessage): void {
  const {headers, rawHeaders, httpVersion} = incoming;
  const lines = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  const isValid = lines === 1 || (lines === 0 && httpVersion === '1.0');
  const [, authority = headers.host ?? DEFAULT_HOST, rest] = ABSOLUTE_FORM.exec(incoming.url ?? '') ?? [];
  if (rest !== undefined) incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
  headers.host = isValid && !authority.includes('@') ? authority : undefined;
}
