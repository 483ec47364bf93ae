import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {EXAMPLE} from '../example/example.ts';
import {serve} from './serve.ts';
import {namedIn, readJson} from './tree.ts';

const PUBLIC = join(EXAMPLE, 'public');

test('serve shows every document as JSON, byte for byte', async () => {
  using server = await serve(PUBLIC);
  const catalogue = await readJson(PUBLIC, 'api/v1/index.json');
  const documents = namedIn(catalogue).filter(({path}) => path.startsWith('/api/'));
  assert.ok(documents.length >= 15);
  for (const {path} of [...documents, {path: '/api/v1/index.json'}]) {
    const response = await fetch(server.url + path);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json; charset=utf-8$/, path);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), await readFile(join(PUBLIC, path)), path);
  }
});

test('serve lists no folder', async () => {
  using server = await serve(PUBLIC);
  for (const path of ['/api/v1/', '/api/v1/samples/', '/api/'])
    assert.equal((await fetch(server.url + path)).status, 404, path);
});
