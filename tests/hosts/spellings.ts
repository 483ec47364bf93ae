import type {WebRequest} from './waf-evaluator.ts';

const METHODS = 'HEAD OPTIONS POST PUT PATCH DELETE TRACE CONNECT PROPFIND QUERY get Get GETX M-SEARCH'.split(' ');

const QUERIES = [
  '?',
  '?x=1',
  '?.json',
  '?/x.json',
  '?versionId=null',
  '?partNumber=1',
  '?response-content-type=text/html',
];

const encode = (text: string) => Array.from(text, encodeOne).join('');
const encodeOne = (letter: string) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** Returns unpaid requests for a paid path, most of them misspelled, as an attacker would send them. */
export function attempts(path: string): WebRequest[] {
  const spelled = [path, ...QUERIES.map(query => path + query), ...misspellings(path)];
  return [
    ...[...new Set(spelled)].map(target => ({method: 'GET', target})),
    ...METHODS.map(method => ({method, target: path})),
    ...METHODS.map(method => ({method, target: encodedSomewhere(path)[9] ?? path})),
    ...METHODS.map(method => ({method, target: `${path}?x=1`})),
  ];
}

function misspellings(path: string): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return [
    ...encodedSomewhere(path),
    ...encodedSomewhere(path).map(target => target.toUpperCase()),
    ...encodedSomewhere(path).map(target => target.replaceAll('%', '%25')),
    encode(path),
    `/${encode(path.slice(1))}`,
    `/${encode(encode(path.slice(1)))}`,
    path.replace(name, encode(name)),
    ...slashes(path, name),
    ...dots(path, name),
    ...endings.map(ending => path + ending),
    ...beginnings.map(beginning => beginning + path),
    ...[path.toUpperCase(), path.replace('/api', '/API'), path.replace('v1', 'V1'), `/api/v1/${name.toUpperCase()}`],
  ];
}

/** Returns the path with one character encoded, once for every character. */
function encodedSomewhere(path: string): string[] {
  return Array.from(path, (letter, at) => path.slice(0, at) + encodeOne(letter) + path.slice(at + 1));
}

function slashes(path: string, name: string): string[] {
  const separators = [
    '//',
    '///',
    '%2f',
    '%2F',
    '%2f%2f',
    '\\',
    '%5c',
    '%5C',
    '/%2f',
    '%252f',
    '/\\',
    '\u2215',
    '%ef%bc%8f',
    '%c0%af',
  ];
  return separators.flatMap(separator => [
    path.replaceAll('/', separator),
    path.replace('/v1/', `/v1${separator}`),
    path.replace('/api/', `/api${separator}`),
    `${separator}api/v1/${name}`,
    `/api${separator}v1${separator}${name}`,
  ]);
}

function dots(path: string, name: string): string[] {
  const here = ['./', '%2e/', '.%2f', '%2e%2f', './/'];
  const up = [
    '../',
    '%2e%2e/',
    '.%2e/',
    '%2e./',
    '..%2f',
    '%2e%2e%2f',
    '..\\',
    '..%5c',
    '%252e%252e/',
    '..;/',
    '..%00/',
  ];
  return [
    ...here.map(dot => `/api/v1/${dot}${name}`),
    ...here.map(dot => `/${dot}api/v1/${name}`),
    ...up.map(dots => `/api/v1/samples/${dots}${name}`),
    ...up.map(dots => `/api/v1/samples/x.json/${dots}${dots}${name}`),
    ...up.map(dots => `/x/${dots}api/v1/${name}`),
    ...up.map(dots => `/${dots}api/v1/${name}`),
    ...up.map(dots => `/api/v1/${name}/${dots}${name}`),
    `${path}/.`,
    `${path}/x/..`,
  ];
}

const endings = [
  ...['/', '//', '/.', '/.json', '.json', '.', '..', '%2f', '%5c', '\\', ';', ';x', ';.json', '/;.json', '%3b.json'],
  ...['%3f', '%3f.json', '#', '#.json', '%23.json', '%00', '%00.json', '%0a', '%0d%0a', '%09', '%20', ' ', '+', '%2b'],
  ...[
    '%',
    '%2',
    '%zz',
    '*',
    '%2a',
    ':',
    '::$DATA',
    '~',
    '~1',
    ',',
    '&x=.json',
    '%26.json',
    '\u00a0',
    '%e2%80%8b',
    '%ff',
  ],
  ...[
    '/index.json',
    '/index.html',
    '.html',
    '.JSON',
    '.gz',
    '.sample.json',
    '@x.json',
    '|',
    '`',
    '"',
    "'",
    '<',
    '[0]',
    '{}',
  ],
];

const beginnings = [
  ...['/', '//', '/.', '/./', '/;', '/%2f', '\\', '/\\', '/%00', '/%20', ' ', '%20', '/~', '/http://x', '/x', '/x/..'],
  ...[
    'http://snapshots.example',
    'https://snapshots.example:443',
    '//snapshots.example',
    'x:',
    '*',
    '?',
    '#',
    '/#',
    '/?',
  ],
];
