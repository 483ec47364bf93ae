import {rawRequest} from '../leak-table.ts';
import type {Leak, Target} from '../leak-table.ts';

const verbs = [
  ...[
    'HEAD',
    'POST',
    'PUT',
    'DELETE',
    'PATCH',
    'OPTIONS',
    'TRACE',
    'CONNECT',
    'QUERY',
    'PURGE',
    'SEARCH',
    'COPY',
    'MOVE',
  ],
  ...[
    'LOCK',
    'PROPFIND',
    'MKCOL',
    'REPORT',
    'LINK',
    'M-SEARCH',
    'SOURCE',
    'BREW',
    'get',
    'GeT',
    'Head',
    'GET\t',
    'XGET',
  ],
];

/** The methods that every server supports. Some support no others. */
const wellFormed = /^(GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS) \S+ HTTP\/1\.[01]$/;

/** Request lines for the document with another method or version of the protocol. */
export function methods({host, path}: Target): Leak[] {
  const lines = [
    ...verbs.map(verb => `${verb} ${path} HTTP/1.1`),
    `GET ${path} HTTP/1.0`,
    `HEAD ${path} HTTP/1.0`,
    `GET ${path} HTTP/0.9`,
    `GET ${path} HTTP/2.0`,
    `GET ${path} HTTP/1.2`,
    `GET ${path} http/1.1`,
    `GET ${path}`,
    `GET  ${path} HTTP/1.1`,
    `GET ${path}  HTTP/1.1`,
    ` GET ${path} HTTP/1.1`,
    `GET ${path} HTTP/1.1 x`,
  ];
  return [
    ...lines.map(line => ({
      name: line,
      request: rawRequest(line, [`Host: ${host}`]),
      malformed: !wellFormed.test(line),
    })),
    {
      name: 'HTTP/2 with prior knowledge',
      malformed: true,
      request: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00',
    },
    {
      name: 'GET with bare line feeds',
      malformed: true,
      request: `GET ${path} HTTP/1.1\nHost: ${host}\nConnection: close\n\n`,
    },
    {
      name: 'GET with bare carriage returns',
      malformed: true,
      request: `GET ${path} HTTP/1.1\rHost: ${host}\rConnection: close\r\r`,
    },
  ];
}
