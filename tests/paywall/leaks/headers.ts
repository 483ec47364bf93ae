import {rawRequest} from '../leak-table.ts';
import type {Leak, Target} from '../leak-table.ts';

/** Headers that change the response of a server, or that a server behind it trusts. */
export function exoticHeaders({host, path, free}: Target): Leak[] {
  const withHost = (header: string) => [`Host: ${host}`, header];
  const get = (headers: readonly string[], target = path): Leak => ({
    name: `GET ${target} with ${describe(headers)}`,
    request: rawRequest(`GET ${target} HTTP/1.1`, headers),
  });
  return [
    ...lines.map(header => get(withHost(header))),
    ...redirects.map(name => get(withHost(`${name}: ${path}`), '/')),
    ...redirects.map(name => get(withHost(`${name}: ${path}`), free)),
    ...redirects.map(name => get(withHost(`${name}: ${free}`))),
    ...[...hosts.map(value => [`Host: ${value}`]), [], [`Host: ${host}`, 'Host: evil.example']].map(headers => ({
      ...get(headers),
      malformed: true,
    })),
    get(Array.from({length: 150}, (_, index) => (index === 0 ? `Host: ${host}` : `X-${index}: 1`))),
    get(withHost(`X-Long: ${'x'.repeat(12_000)}`)),
    get(withHost(`X-Longer: ${'x'.repeat(60_000)}`)),
  ];
}

function describe(headers: readonly string[]): string {
  return headers.slice(0, 3).join(', ').slice(0, 100) || 'no header';
}

const redirects = ['X-Original-URL', 'X-Rewrite-URL', 'X-Forwarded-Prefix', 'X-Forwarded-Path', 'X-HTTP-Path-Override'];

const hosts = [
  'evil.example',
  '',
  'localhost',
  '127.0.0.1:1',
  'evil.example/x',
  'a b',
  '[::1]',
  'x@evil.example',
  '\xff',
  '..',
];

const lines = [
  'Range: bytes=0-',
  'Range: bytes=0-0',
  'Range: bytes=-1',
  'Range: bytes=0-0,5-9',
  'Range: bytes=99999999-',
  'Range: items=0-1',
  'If-Range: "x"',
  'If-None-Match: *',
  'If-None-Match: "x"',
  'If-Match: *',
  'If-Match: "x"',
  'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT',
  'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT',
  'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT',
  'X-HTTP-Method-Override: HEAD',
  'X-HTTP-Method-Override: POST',
  'X-HTTP-Method: OPTIONS',
  'X-Method-Override: OPTIONS',
  'Accept: application/octet-stream',
  'Accept: */*;q=0',
  'Accept: text/html\r\nUser-Agent: Mozilla/5.0',
  'Accept-Encoding: gzip',
  'Accept-Encoding: br',
  'Accept-Encoding: identity;q=0, *;q=0',
  'TE: trailers',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13',
  'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Authorization: Bearer paid',
  'Authorization: Basic YWRtaW46YWRtaW4=',
  'Cookie: paid=true',
  'X-Forwarded-For: 127.0.0.1',
  'X-Forwarded-Proto: https',
  'X-Forwarded-Host: localhost',
  'Forwarded: for=127.0.0.1;host=localhost',
  'X-Real-IP: 127.0.0.1',
  'CF-Connecting-IP: 127.0.0.1',
  'CF-Worker: gate',
  'Via: 1.1 cache',
  'Cache-Control: only-if-cached',
  'Pragma: no-cache',
  'Sec-Purpose: prefetch',
  'Service-Worker: script',
  'Origin: null',
  'X-Payment-Verified: true',
  'X-Middleware-Subrequest: middleware',
  'PAYMENT-RESPONSE: eyJzdWNjZXNzIjp0cnVlfQ==',
  'PAYMENT-REQUIRED: e30=',
  'Settlement-Overrides: {"amount":"0"}',
  'Want-Repr-Digest: sha-256=1',
  'Want-Digest: sha-256',
  'A-IM: feed',
  'Content-Type: multipart/byteranges',
  'Folded: a\r\n b',
  'Space : before the colon',
  'Nul: \x00',
  'No colon',
];
