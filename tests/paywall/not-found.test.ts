import assert from 'node:assert/strict';
import {readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {denySite, type SiteFixture} from '../build/site-fixture.ts';
import {fixtureSite} from './fixture-site.ts';
import {rawExchange} from './raw-exchange.ts';

/** The header that Chromium sends. */
const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';
const UNKNOWN = ['/nowhere', '/api/v1/nosuch', '/api/v1/', '/api/v1/softfail3/', '/api/v1/%73oftfail3', '//', '/404'];
const PROBLEM = 'application/problem+json';
const HTML = 'text/html; charset=utf-8';

describe('a path that the site does not have, on Node', () => {
  let site: SiteFixture;
  let gate: Listening;
  let page: string;

  before(async () => {
    site = await denySite();
    assert.equal((await site.build()).code, 0);
    page = await readFile(join(site.root, 'public/404.html'), 'utf8');
    gate = await startGate(site.root, 'http://127.0.0.1:9');
  });
  after(async () => {
    await gate.stop();
    await site[Symbol.asyncDispose]();
  });

  const get = (path: string, accept: string, init: RequestInit = {}) =>
    fetch(gate.url + path, {...init, headers: {accept}});
  const typeOf = async (accept: string) => (await get('/nowhere', accept)).headers.get('content-type');

  test("answers a browser with the site's page, with the headers of other pages", async () => {
    const home = (await get('/', BROWSER)).headers;
    for (const path of UNKNOWN) {
      const answer = await get(path, BROWSER);
      assert.deepEqual([answer.status, await answer.text()], [404, page], path);
      for (const name of [
        'content-type',
        'content-security-policy',
        'content-encoding',
        'x-content-type-options',
        'access-control-allow-origin',
      ])
        assert.equal(answer.headers.get(name), home.get(name), `${path}: ${name}`);
      assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.match(answer.headers.get('vary') ?? '', /\bAccept,/);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(answer.headers.get('payment-required'), null);
    }
  });

  test('answers a program with problem details', async () => {
    for (const path of UNKNOWN) {
      const answer = await get(path, '*/*');
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, PROBLEM], path);
      assert.equal(((await answer.json()) as {status: number}).status, 404);
      assert.equal(answer.headers.get('vary'), 'Accept');
    }
    assert.match(
      await rawExchange(gate.url, 'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      /"Not found"/,
    );
  });

  for (const [accept, type] of [
    ['text/html', HTML],
    ['TEXT/HTML', HTML],
    ['text/html, */*', HTML],
    ['text/xml,application/xhtml+xml,text/html;q=0.9,*/*;q=0.5', HTML],
    ['text/html, application/json;q=0.9', HTML],
    ['application/json', PROBLEM],
    ['application/json, text/plain, */*', PROBLEM],
    ['application/json, text/html', PROBLEM],
    ['text/html, application/problem+json', PROBLEM],
    ['text/html;q=0.5, application/json', PROBLEM],
    ['text/html;q=0.5, */*', PROBLEM],
    ['text/html;q=0', PROBLEM],
    ['text/htmlx', PROBLEM],
    ['image/avif,image/webp,*/*;q=0.8', PROBLEM],
    ['', PROBLEM],
  ] as const)
    test(`answers "${accept}" with ${type}`, async () => {
      assert.equal(await typeOf(accept), type);
    });

  test('answers HEAD with the same headers and no body', async () => {
    const answer = await rawExchange(
      gate.url,
      `HEAD /api/v1/nosuch HTTP/1.1\r\nHost: a\r\nAccept: ${BROWSER}\r\nConnection: close\r\n\r\n`,
    );
    const [head = '', body] = answer.split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 404 /);
    assert.match(head, /^content-type: text\/html; charset=utf-8\r?$/im);
    assert.match(head, new RegExp(`^content-length: ${Buffer.byteLength(page)}\\r?$`, 'im'));
    assert.equal(body, '');
  });

  test('does not change other responses to a browser', async () => {
    assert.equal((await get('/404.html', BROWSER)).status, 200);
    assert.equal((await get('/api/v1/softfail3', BROWSER)).status, 402);
    assert.equal((await get('/', BROWSER, {method: 'DELETE'})).status, 405);
  });

  test('answers with problem details while the page is missing or differs from the digest in the catalogue', async () => {
    const file = join(site.root, 'public/404.html');
    await writeFile(file, 'changed');
    assert.equal(await typeOf(BROWSER), PROBLEM);
    await rm(file);
    assert.equal(await typeOf(BROWSER), PROBLEM);
    await writeFile(file, page);
    assert.equal(await typeOf(BROWSER), HTML);
  });

  test('answers with problem details if the site has no such page', async () => {
    const bare = await fixtureSite();
    const gate = await startGate(bare.root, 'http://127.0.0.1:9');
    const answer = await fetch(`${gate.url}/nowhere`, {headers: {accept: BROWSER}});
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, PROBLEM]);
    await gate.stop();
    await bare.remove();
  });
});
