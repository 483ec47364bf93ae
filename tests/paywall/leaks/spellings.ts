import {rawRequest} from '../leak-table.ts';
import type {Leak, Target} from '../leak-table.ts';

/** Other spellings of a path that a server or cache may treat as the path itself. */
export function spellings({host, path}: Target): Leak[] {
  return targetsOf(path, host).map(target => ({
    name: `GET ${target.length > 80 ? `${target.slice(0, 80)}…` : target}`,
    request: rawRequest(`GET ${target} HTTP/1.1`, [`Host: ${host}`]),
    malformed: !target.startsWith('/'),
  }));
}

function targetsOf(path: string, host: string): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return [
    ...suffixes.map(suffix => path + suffix),
    ...detours.map(detour => detour.replace('NAME', name)),
    ...encodings(name),
    `/API/v1/${name}`,
    `/api/V1/${name}`,
    `/api/v1/${name.toUpperCase()}`,
    `/api/v1/${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    `/public${path}`,
    path.slice(1),
    `http://${host}${path}`,
    `http://evil.example${path}`,
    `https://snapshots.example${path}`,
    `//evil.example${path}`,
    `http://${host}@evil.example${path}`,
    `${path}?${'x'.repeat(10_000)}`,
    '/api/v1/',
    '/api/v1/*',
    '*',
    '?',
  ];
}

const suffixes = [
  '',
  '?',
  '?x=1',
  '?paid=true',
  '?PAYMENT-SIGNATURE=e30=',
  '#',
  '#x',
  ';',
  ';x=1',
  '/',
  '//',
  '/.',
  '/..;/',
  '/%2e',
  '/index.html',
  '.json',
  '.html',
  '.gz',
  '.bak',
  '~',
  '%',
  '%zz',
  '%00',
  '%20',
  '%0a',
  '%2f',
  '%5c',
  '%3f',
  '%23',
  '%2e',
  '\\',
  '\xff',
  ':80',
  '&',
  "'",
];

const detours = [
  '/api//v1/NAME',
  '//api/v1/NAME',
  '/api/v1//NAME',
  '///api///v1///NAME',
  '/./api/v1/NAME',
  '/api/./v1/NAME',
  '/api/v1/./NAME',
  '/api/v1/x/../NAME',
  '/api/v1/samples/../NAME',
  '/api/v1/samples/..%2fNAME',
  '/api/v1/samples/..%2FNAME',
  '/api/v1/samples/%2e%2e/NAME',
  '/api/v1/samples/.%2e/NAME',
  '/api/v1/samples%2f..%2fNAME',
  '/api/v1/samples/..\\NAME',
  '/api/v1/samples/..;/NAME',
  '/api/v1/schemas/../NAME',
  '/api/v1/history/../NAME',
  '/api/v1/index.json/../NAME',
  '/../api/v1/NAME',
  '/x/../api/v1/NAME',
  '/%2e%2e/api/v1/NAME',
  '/../public/api/v1/NAME',
  '\\api\\v1\\NAME',
  '/api\\v1\\NAME',
  '/api/v1\\NAME',
  '/api/v1/\tNAME',
];

function encodings(name: string): string[] {
  const encoded = (text: string) => Array.from(text, char => `%${char.charCodeAt(0).toString(16)}`).join('');
  const first = name.slice(0, 1);
  const rest = name.slice(1);
  return [
    `/api/v1/${encoded(first)}${rest}`,
    `/api/v1/${encoded(first).toUpperCase()}${rest}`,
    `/api/v1/%25${encoded(first).slice(1)}${rest}`,
    `/api/v1/${encoded(name)}`,
    `/%61pi/v1/${name}`,
    `/api%2fv1%2f${name}`,
    `/api%2Fv1/${name}`,
    `/api/v1%2f${name}`,
    `%2fapi%2fv1%2f${name}`,
    `/api/v1%c0%af${name}`,
    `/api/v1/%u0073${rest}`,
    `/api/v1/%ef%bc%8f${name}`,
  ];
}
