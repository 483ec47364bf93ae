import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {test} from 'node:test';
import {policy as ownPolicy, script, style} from '../../build/pages/assets.ts';
import {serve} from '../build/serve.ts';
import {namedIn, readJson} from '../build/tree.ts';
import {EXAMPLE} from '../example/example.ts';
import {exampleWorker} from '../hosts/example-worker.ts';
import {openShop} from './shop.ts';

const PUBLIC = join(EXAMPLE, 'public');

/** The expected media type of each page on every host. */
const PAGES = {
  '/': 'text/html; charset=utf-8',
  '/index.html': 'text/html; charset=utf-8',
  '/404.html': 'text/html; charset=utf-8',
  '/products/softfail3.html': 'text/html; charset=utf-8',
  [style.path]: 'text/css; charset=utf-8',
  [script.path]: 'text/javascript; charset=utf-8',
  '/openapi.json': 'application/json; charset=utf-8',
  '/llms.txt': 'text/plain; charset=utf-8',
  '/robots.txt': 'text/plain; charset=utf-8',
  '/sitemap.xml': 'application/xml; charset=utf-8',
  '/feed.xml': 'application/atom+xml; charset=utf-8',
  '/favicon.svg': 'image/svg+xml; charset=utf-8',
  '/preview.png': 'image/png',
  '/.well-known/api-catalog': 'application/linkset+json',
} satisfies Record<string, string>;

/** `/index.html` may redirect to `/`, and `/404.html` to `/404`. */
async function assertServed(origin: string): Promise<void> {
  for (const [path, type] of Object.entries(PAGES)) {
    const response = await fetch(origin + path);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('content-type'), type, path);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', path);
    const file = await readFile(join(PUBLIC, path === '/' ? 'index.html' : path));
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), file, path);
  }
}

test('the catalogue lists every page with its type', async () => {
  const {files} = (await readJson(PUBLIC, 'api/v1/index.json')) as {files?: {path: string; type: string}[]};
  const listed = Object.fromEntries((files ?? []).map(({path, type}) => [path, type]));
  for (const [path, type] of Object.entries(PAGES)) if (path !== '/') assert.equal(listed[path], type, path);
});

test('the gate on Node serves every page with its type, and forbids frames', async () => {
  await using shop = await openShop(EXAMPLE);
  await assertServed(shop.url);
  for (const path of ['/', '/404.html'])
    assert.match((await fetch(shop.url + path)).headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
});

test('workerd serves every page with its type and policy, and the page for missing paths', async () => {
  await using worker = await exampleWorker();
  await assertServed(worker.url);
  const policy = (await fetch(worker.url)).headers.get('content-security-policy') ?? '';
  assert.equal(policy, `${ownPolicy}; frame-ancestors 'none'`);
  const missing = await fetch(`${worker.url}/nothing-here`, {headers: {accept: 'text/html'}});
  assert.equal(missing.status, 404);
  assert.equal(await missing.text(), await readFile(join(PUBLIC, '404.html'), 'utf8'));
});

test('serve serves every page with its type, and the page for missing paths and folders', async () => {
  using server = await serve(PUBLIC);
  await assertServed(server.url);
  const missing = await fetch(`${server.url}/nothing-here`, {headers: {accept: 'text/html'}});
  assert.equal(missing.status, 404);
  assert.equal(await missing.text(), await readFile(join(PUBLIC, '404.html'), 'utf8'));
  assert.equal((await fetch(`${server.url}/api/v1/`)).status, 404, 'folders are not listed');
});

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
