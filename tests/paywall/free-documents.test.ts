import assert from 'node:assert/strict';
import {request, type IncomingHttpHeaders} from 'node:http';
import {mkdir, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {gunzipSync} from 'node:zlib';
import {startGate} from '../../scripts/local-chain/gate.ts';
import type {Listening} from '../../scripts/local-chain/listen.ts';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';

const sample = '/api/v1/samples/softfail3.json';

describe('free documents through the gate on Node', () => {
  let site: FixtureSite;
  let gate: Listening;

  before(async () => {
    site = await fixtureSite();
    gate = await startGate(site.root, 'http://127.0.0.1:1');
  });
  after(async () => {
    await gate.stop();
    await site.remove();
  });

  test('every free file of the catalogue is served with its bytes and type', async () => {
    for (const [path, text] of site.files) {
      if (site.paidPaths.includes(path)) continue;
      const response = await fetch(gate.url + path);
      assert.equal(response.status, 200, path);
      assert.equal(await response.text(), text);
      const type = {html: 'text/html; charset=utf-8', txt: 'text/plain; charset=utf-8'}[path.split('.').pop() ?? ''];
      assert.equal(response.headers.get('Content-Type'), type ?? 'application/json; charset=utf-8');
      assert.equal(response.headers.get('X-Content-Type-Options'), 'nosniff');
      assert.equal(response.headers.get('Cache-Control'), 'public, max-age=300');
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*');
    }
  });

  test('the home page is also served at /', async () => {
    assert.equal(await (await fetch(`${gate.url}/`)).text(), site.files.get('/index.html'));
  });

  test('a path that the catalogue does not list is answered with 404 problem details, although the file exists', async () => {
    await writeFile(join(site.root, 'public/unlisted.txt'), 'unlisted');
    const response = await fetch(`${gate.url}/unlisted.txt`);
    assert.equal(response.status, 404);
    assert.equal(response.headers.get('Content-Type'), 'application/problem+json');
    const {status, title, type} = (await response.json()) as Record<string, unknown>;
    assert.deepEqual({status, title, type}, {status: 404, title: 'Not found', type: 'about:blank'});
  });

  test('a request with the strong entity tag of a document is answered with 304 without a body, also in a list', async () => {
    const tag = (await raw(sample)).headers.etag ?? '';
    assert.match(tag, /^"[0-9a-f]{32}"$/);
    for (const value of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
      const answer = await raw(sample, {'If-None-Match': value});
      assert.equal(answer.status, 304);
      assert.equal(answer.headers.etag, tag);
      assert.equal(answer.body.length, 0);
    }
    assert.equal((await raw(sample, {'If-None-Match': '"other"'})).status, 200);
  });

  test('a compressed document does not have the strong entity tag of the uncompressed one', async () => {
    const plain = await raw(sample);
    const gzip = await raw(sample, {'Accept-Encoding': 'gzip'});
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(gzip.body).toString(), plain.body.toString());
    assert.equal(gzip.headers.etag, `W/${plain.headers.etag ?? ''}`);
    assert.match(String(plain.headers.vary), /Accept-Encoding/);
    assert.match(String(gzip.headers.vary), /Accept-Encoding/);
    assert.equal(
      (await raw(sample, {'Accept-Encoding': 'gzip', 'If-None-Match': gzip.headers.etag ?? ''})).status,
      304,
    );
  });

  test('HEAD returns the headers of GET, without a body', async () => {
    const [get, head] = [await raw(sample), await raw(sample, {}, 'HEAD')];
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
    assert.equal(head.headers['content-length'], get.headers['content-length']);
    assert.equal(head.headers.etag, get.headers.etag);
  });

  test('an unsupported method is answered with 405 and the supported ones', async () => {
    for (const [path, allow] of [
      [sample, 'GET, HEAD'],
      ['/api/v1/softfail3', 'GET, OPTIONS'],
    ] as const) {
      const response = await fetch(gate.url + path, {method: 'DELETE'});
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('Allow'), allow);
      assert.equal(response.headers.get('Content-Type'), 'application/problem+json');
    }
  });

  test('a file that differs from the digest in the catalogue is answered with 503 until it is restored', async () => {
    const [before, file] = [await raw('/llms.txt'), join(site.root, 'public/llms.txt')];
    await writeFile(file, 'changed\n');
    const tag = before.headers.etag ?? '';
    for (const [headers, method] of [[{}], [{'If-None-Match': tag}], [{'If-None-Match': '*'}], [{}, 'HEAD']] as const) {
      const answer = await raw('/llms.txt', headers, method);
      assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '5']);
      assert.doesNotMatch(answer.body.toString(), /changed/);
      assert.equal(answer.headers.etag, undefined);
    }
    await writeFile(file, before.body);
    assert.deepEqual((await raw('/llms.txt')).body, before.body);
  });

  test('the gate serves the catalogue with which it was opened', async () => {
    const before = await raw('/api/v1/index.json');
    const file = join(site.root, 'public/api/v1/index.json');
    await writeFile(file, '{}');
    const after = await raw('/api/v1/index.json');
    await writeFile(file, before.body);
    assert.deepEqual([after.body, after.headers.etag], [before.body, before.headers.etag]);
  });

  test('a symbolic link in place of a file or a folder is not followed', async () => {
    const folder = join(site.root, 'public/api/v1/history');
    const outside = join(site.root, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'softfail3.json'), 'outside');
    await rm(join(site.root, 'public', sample));
    await symlink(join(outside, 'softfail3.json'), join(site.root, 'public', sample));
    await rm(folder, {recursive: true});
    await symlink(outside, folder);
    for (const path of [sample, '/api/v1/history/softfail3.json']) {
      const response = await fetch(gate.url + path);
      assert.equal(response.status, 503);
      assert.equal(response.headers.get('Content-Type'), 'application/problem+json');
    }
  });

  async function raw(path: string, headers: Record<string, string> = {}, method = 'GET') {
    return new Promise<{status: number | undefined; headers: IncomingHttpHeaders; body: Buffer}>((resolve, reject) => {
      const sent = request(gate.url + path, {method, headers}, response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          resolve({status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks)});
        });
      });
      sent.on('error', reject).end();
    });
  }
});
