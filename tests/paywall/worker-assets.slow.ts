import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {after, before, describe, test} from 'node:test';
import {fixtureSite, type FixtureSite} from './fixture-site.ts';
import {path} from './shop.ts';
import {startWorkerGate, type WorkerGate} from './worker-gate.ts';

describe('a site on Cloudflare, in workerd', () => {
  let site: FixtureSite;
  let gate: WorkerGate;

  before(async () => {
    site = await fixtureSite();
    gate = await startWorkerGate(site, 'http://127.0.0.1:1');
  });
  after(async () => {
    await gate.stop();
    await site.remove();
  });

  test('free documents are assets with their bytes, a type, an entity tag and nosniff', async () => {
    const sample = '/api/v1/samples/softfail3.json';
    for (const free of [sample, '/api/v1/index.json', '/api/v1/schemas/softfail3.json', '/llms.txt', '/']) {
      const response = await fetch(gate.url + free);
      assert.equal(response.status, 200, free);
      assert.equal(await response.text(), site.files.get(free === '/' ? '/index.html' : free));
      assert.match(response.headers.get('Content-Type') ?? '', /^(application\/json|text\/html|text\/plain)/);
      assert.equal(response.headers.get('X-Content-Type-Options'), 'nosniff');
      assert.equal(response.headers.get('Access-Control-Allow-Origin'), '*');
      const tag = response.headers.get('ETag') ?? '';
      assert.match(tag, /^"|^W\/"/);
      assert.equal((await fetch(gate.url + free, {headers: {'If-None-Match': tag}})).status, 304);
    }
  });

  test('a paid path is answered with 402, for a browser with the checkout, and a path without a rule with 404', async () => {
    const page = await fetch(gate.url + path, {headers: {Accept: 'text/html', 'User-Agent': 'Mozilla/5.0'}});
    assert.equal(page.status, 402);
    const [, script = assert.fail()] = /<script>([^]*?)<\/script>/.exec(await page.text()) ?? [];
    const digest = createHash('sha256').update(script).digest('base64');
    assert.ok(page.headers.get('Content-Security-Policy')?.includes(`script-src 'sha256-${digest}'`));
    assert.equal((await fetch(gate.url + path)).status, 402);
    const unknown = await fetch(`${gate.url}/api/v1/forgotten`);
    assert.deepEqual([unknown.status, unknown.headers.get('Content-Type')], [404, 'application/problem+json']);
  });
});
