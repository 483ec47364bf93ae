import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import type {RequestListener} from 'node:http';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {readTree} from '../build/tree.ts';
import {jsonErrors} from '../json-errors.ts';
import {freezeFixture, type FreezeFixture} from './freeze-fixture.ts';
import {startHttps, type HttpsHost} from './https-host.ts';
import {runProcess, type Ran} from './script-run.ts';

const DENY = 'url,class\nhttps://a.example/,dead\nhttps://b.example/,fraud\n';
const MODIFIED = 'Wed, 29 Apr 2026 18:15:00 GMT';

/** Responses by path. */
const answer: RequestListener = ({url = ''}, response) => {
  const {pathname} = new URL(url, 'https://localhost');
  switch (pathname) {
    case '/lists/deny.csv':
      return response.writeHead(200, {'last-modified': MODIFIED, 'content-length': DENY.length}).end(DENY);
    case '/deny.csv.gz':
      return response.end(gzipSync(DENY));
    case '/cut-off.csv':
      return response.writeHead(200, {'content-encoding': 'gzip'}).end(gzipSync(DENY).subarray(0, -12));
    case '/api/list':
      return response.writeHead(200, {'content-type': 'text/csv; charset=utf-8'}).end(DENY);
    case '/unnamed':
      return response.writeHead(200, {'content-type': 'text/plain'}).end(DENY);
    case '/latin.csv':
      return response.end(Buffer.from('name,v\nCuraçao,1\nÅland,2\n', 'latin1'));
    case '/page.csv':
      return response.writeHead(200, {'content-type': 'text/html'}).end('<!doctype html><p>Sign in');
    case '/moved.csv':
      return response.writeHead(302, {location: '/lists/deny.csv'}).end();
    case '/plain.csv':
      return response.writeHead(302, {location: 'http://127.0.0.1:1/deny.csv?key=secret'}).end();
    case '/round.csv':
      return response.writeHead(302, {location: '/round.csv'}).end();
    case '/short.csv':
      response.writeHead(200, {'content-length': 1000}).write(DENY);
      return setTimeout(() => response.destroy(), 100);
    default:
      return response.writeHead(404).end('no');
  }
};

describe('a list at an https: address', () => {
  let fixture: FreezeFixture;
  let host: HttpsHost;
  before(async () => {
    fixture = await freezeFixture();
    host = await startHttps(answer, fixture.lists);
  });
  after(async () => {
    await host[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  /** Freezes the list at a path, and trusts the server's certificate. */
  const download = (source: string, path: string, ...args: string[]): Promise<Ran> =>
    runProcess('freeze', [source, host.origin + path, '--root', fixture.site.root, ...args], {
      NODE_EXTRA_CA_CERTS: host.certificate,
    });

  test('is downloaded with its modification date and, without the query, its address', async () => {
    const {code, err} = await download('deny-list', '/lists/deny.csv?key=secret', '--as-of', '2026-05-01');
    assert.equal(err, '');
    assert.equal(code, 0);
    const {created, resources, sources} = await fixture.descriptor('deny-list', '2026-05-01');
    assert.equal(created, '2026-04-29T18:15:00.000Z');
    assert.equal(resources[0].path, 'deny.csv');
    assert.deepEqual(sources, [{path: `${host.origin}/lists/deny.csv`}]);
    const kept = join(fixture.site.root, 'data/sources/deny-list/2026-05-01/deny.csv');
    assert.equal(await readFile(kept, 'utf8'), DENY);
  });

  test('that is not UTF-8 is refused with a conversion command for the downloaded file', async () => {
    const {err, remedies = ''} = await download('latin', '/latin.csv?key=secret', '--as-of', '2026-05-01');
    assert.match(remedies, /Convert it with `iconv -f WINDOWS-1252 -t UTF-8 latin\.csv > latin-utf8\.csv`\.$/m);
    assert.ok(err.startsWith(`${host.origin}/latin.csv:2: `), err);
  });

  test('is followed through redirects, not decompressed, and named by its type if its address has no name', async () => {
    assert.equal((await download('moved', '/moved.csv', '--as-of', '2026-05-01')).err, '');
    assert.equal((await download('packed', '/deny.csv.gz')).err, '');
    assert.equal((await download('typed', '/api/list', '--as-of', '2026-05-01')).err, '');
    assert.equal((await fixture.descriptor('typed', '2026-05-01')).resources[0].path, 'typed.csv');
  });

  test('without a modification date counts as created at as_of, without a warning', async () => {
    const {out, code} = await download('undated', '/deny.csv.gz');
    assert.equal(code, 0);
    assert.doesNotMatch(out, /modified after/);
    const [, date = ''] = /undated\/(\S+)/.exec(out) ?? [];
    const {created, as_of} = await fixture.descriptor('undated', date);
    assert.equal(created, as_of);
  });

  const refused: readonly (readonly [string, RegExp])[] = [
    ['/nowhere.csv', /\/nowhere\.csv answers 404 Not Found$/m],
    ['/page.csv', /\/page\.csv is not CSV, as its name says, but HTML or XML$/m],
    ['/unnamed', /\/unnamed has a name that does not end in/],
    ['/plain.csv', /\/plain\.csv redirects to http:\/\/127\.0\.0\.1:1\/deny\.csv, which is not an https: address$/m],
    ['/round.csv', /\/round\.csv redirects more than 10 times$/m],
    [
      '/cut-off.csv',
      /\/cut-off\.csv is compressed for the transfer \(Content-Encoding: gzip\), which was not requested$/m,
    ],
    ['/short.csv', /\/short\.csv cannot be downloaded \(/],
  ];
  for (const [path, says] of refused) {
    test(`is refused, with nothing written: ${path}`, async () => {
      const tree = await readTree(fixture.site.root);
      const {code, err} = await download('refused', `${path}?key=secret`);
      assert.equal(code, 1, err);
      assert.match(err, says);
      assert.doesNotMatch(err, /secret|^\s+at /m);
      assert.deepEqual(await readTree(fixture.site.root), tree);
    });
  }

  test('has its address as the place of errors, also in its rows', async () => {
    for (const [path, line] of [
      ['/page.csv', undefined],
      ['/unnamed', undefined],
      ['/nowhere.csv', undefined],
      ['/latin.csv', 2],
    ] as const) {
      const {out} = await download('refused', `${path}?key=secret`, '--json');
      const [error] = jsonErrors(out);
      assert.deepEqual([error?.file, error?.url, error?.line], [undefined, host.origin + path, line], out);
    }
  });

  test('is refused if the certificate is not trusted, or no server answers', async () => {
    const untrusted = await runProcess('freeze', [
      'deny-list',
      `${host.origin}/lists/deny.csv`,
      '--root',
      fixture.site.root,
    ]);
    assert.equal(untrusted.code, 1);
    assert.match(
      untrusted.err,
      /deny\.csv cannot be downloaded \(DEPTH_ZERO_SELF_SIGNED_CERT\): .*NODE_EXTRA_CA_CERTS/m,
    );
    const unreachable = await fixture.freeze('deny-list', 'https://127.0.0.1:1/deny.csv');
    assert.equal(unreachable.code, 1);
    assert.match(unreachable.err, /^https:\/\/127\.0\.0\.1:1\/deny\.csv cannot be downloaded \(.+\)$/m);
  });
});
